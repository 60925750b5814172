import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlagSet } from "#/std/flags/flags.ts";
import { type FlagTarget, flagToComplete } from "./flag-to-complete.ts";

const flags = {
  output: { type: "string", shorthand: "o", help: "" },
  watch: { type: "bool", shorthand: "w", help: "" },
  "dry-run": { type: "string", bare: "client", help: "" },
  v: { type: "int", shorthand: "v", help: "" },
} satisfies FlagSet;

const cases: readonly { typed: readonly string[]; target: FlagTarget }[] = [
  { typed: ["a", "b"], target: { args: ["a"], word: "b" } },
  { typed: ["a", "-"], target: { args: ["a"], word: "-" } },
  { typed: ["a", "--out"], target: { args: ["a"], word: "--out" } },
  { typed: ["a", "--output=js"], target: { flag: "output", args: ["a"], word: "js" } },
  { typed: ["-o=js"], target: { flag: "output", args: [], word: "js" } },
  { typed: ["-wo=js"], target: { flag: "output", args: [], word: "js" } },
  { typed: ["--output", "js"], target: { flag: "output", args: [], word: "js" } },
  { typed: ["a", "-wo", ""], target: { flag: "output", args: ["a"], word: "" } },
  { typed: ["-v", ""], target: { flag: "v", args: [], word: "" } },
  { typed: ["--output=json", "x"], target: { args: ["--output=json"], word: "x" } },
  { typed: ["-w", "x"], target: { args: ["-w"], word: "x" } },
  { typed: ["--dry-run", "x"], target: { args: ["--dry-run"], word: "x" } },
  { typed: ["--dry-run=", "x"], target: { args: ["--dry-run="], word: "x" } },
  { typed: ["--help", ""], target: { args: ["--help"], word: "" } },
  { typed: ["--", "x"], target: { args: ["--"], word: "x" } },
  { typed: ["--nothing", "x"], target: { args: ["--nothing"], word: "x", unknown: "nothing" } },
  { typed: ["-Z=x"], target: { args: [], word: "-Z=x", unknown: "Z" } },
];

for (const { typed, target } of cases) {
  test(`flagToComplete() of ${JSON.stringify(typed)}`, () => {
    assert.deepEqual(flagToComplete(flags, typed.slice(0, -1), typed.at(-1) ?? ""), target);
  });
}
