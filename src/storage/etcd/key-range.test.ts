import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keysWithPrefix } from "./key-range.ts";

describe("keysWithPrefix()", () => {
  const cases: readonly { prefix: string; after?: string; key?: string; end?: string }[] = [
    { prefix: "/a/", key: "/a/", end: "/a0" },
    { prefix: "é", key: "é", end: "\u00ea" },
    { prefix: "", key: "\0", end: "\0" },
    { prefix: "/a/", after: "/a/b", key: "/a/b\0", end: "/a0" },
    { prefix: "/a/", after: "/", key: "/a/", end: "/a0" },
    { prefix: "/a/", after: "/a0" },
    { prefix: "/a/", after: "/b" },
    { prefix: "", after: "/b", key: "/b\0", end: "\0" },
    { prefix: "\uffee", after: "\uffee\u{1f600}", key: "\uffee\u{1f600}\0", end: "\uffef" },
  ];
  for (const { prefix, after, key, end } of cases) {
    test(`of ${JSON.stringify({ prefix, after })}`, () => {
      const range = keysWithPrefix(prefix, after);
      assert.deepEqual([range?.key, range && Buffer.from(range.rangeEnd).toString()], [key, end]);
    });
  }
});
