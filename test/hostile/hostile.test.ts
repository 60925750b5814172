import assert from "node:assert/strict";
import { test } from "node:test";
import { parsers } from "./parsers/index.ts";
import { runChecks } from "./run-checks.ts";

/** The same inputs in every run; run.ts uses others. */
const seed = 20261117;

test("every parser parses hostile input or refuses it with its own error, in linear time", async () => {
  const checked: string[] = [];
  const problems: string[] = [];
  for await (const result of runChecks(seed)) {
    checked.push(result.name);
    problems.push(...result.problems);
  }
  assert.deepEqual(problems, [], problems.join("\n\n"));
  assert.deepEqual(
    checked,
    parsers.map(({ name }) => name),
  );
});
