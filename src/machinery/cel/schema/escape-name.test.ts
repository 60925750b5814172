import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeName, unescapeName } from "./escape-name.ts";

const names: readonly (readonly [name: string, identifier: string | undefined])[] = [
  ["replicas", "replicas"],
  ["a-b", "a__dash__b"],
  ["a.b", "a__dot__b"],
  ["a/b", "a__slash__b"],
  ["a__b", "a__underscores__b"],
  ["_a", "_a"],
  ["__", "__underscores__"],
  ["___", "__underscores___"],
  ["namespace", "__namespace__"],
  ["in", "__in__"],
  ["true", "__true__"],
  ["int", "int"],
  ["-", "__dash__"],
  ["1a", undefined],
  ["", undefined],
  ["a b", undefined],
  ["é", undefined],
];

test("escapeName() converts names to identifiers where possible", () => {
  for (const [name, identifier] of names) assert.equal(escapeName(name), identifier, name);
});

test("unescapeName() returns the original name", () => {
  for (const [name, identifier] of names) {
    if (identifier !== undefined) assert.equal(unescapeName(identifier), name);
  }
});

test("unescapeName() rejects invalid escapes", () => {
  assert.equal(unescapeName("__unknown__"), undefined);
  assert.equal(unescapeName("a__in__"), undefined);
});
