import assert from "node:assert/strict";
import { test } from "node:test";
import type { KernelChange } from "#/std/kernel/kernel-changes.ts";
import { mergeChanges } from "./merge-changes.ts";

const change = (text: string): KernelChange => {
  const [before = "", after = ""] = text.split(" to ");
  return { file: "/proc/sys/a", before, after };
};

const cases = [
  { name: "one after the other", known: "1 to 2", other: "2 to 3", merged: "1 to 3" },
  { name: "one before the other", known: "2 to 3", other: "1 to 2", merged: "1 to 3" },
  { name: "the same twice", known: "0 to 1", other: "0 to 1", merged: "0 to 1" },
  { name: "a rounded value", known: "5 to 9", other: "5 to 10", merged: "5 to 10" },
  { name: "another value in between", known: "0 to 1", other: "5 to 7", merged: "0 to 7" },
];

for (const { name, known, other, merged } of cases) {
  test(`mergeChanges(): ${name}`, () => {
    assert.deepEqual(mergeChanges(change(known), change(other)), change(merged));
  });
}
