import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { awsFlags } from "./flags.ts";
import { validateTaggingFlags } from "./tagging-settings.ts";

const complete = ["--tags=a=b", "--resources=instance"];

const cases = [
  { args: complete, problem: undefined },
  { args: [], problem: "--tags must not be empty and must be a form of key=value" },
  { args: ["--tags=a=b"], problem: "--resources must not be empty" },
  {
    args: [...complete, "--resources=volume"],
    problem: "volume is not a supported resource. Current supported resources [instance]",
  },
  {
    args: [...complete, "--tagging-controller-rate-limit=-0.5"],
    problem: "--tagging-controller-rate-limit should not be less than zero",
  },
  {
    args: [...complete, "--tagging-controller-burst-limit=-1"],
    problem: "--tagging-controller-burst-limit should not be less than zero",
  },
  {
    args: [...complete, "--tagging-controller-concurrent-node-syncs=0"],
    problem: "--tagging-controller-concurrent-node-syncs must be a positive number",
  },
];

for (const { args, problem } of cases) {
  test(`validateTaggingFlags() says of ${args.join(" ")}: ${problem ?? "complete"}`, () => {
    assert.equal(validateTaggingFlags(parseFlags(awsFlags, args).values), problem);
  });
}
