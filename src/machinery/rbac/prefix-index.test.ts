import assert from "node:assert/strict";
import { test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { PrefixIndex } from "./prefix-index.ts";

test("PrefixIndex finds the prefixes of a text, the longest first", () => {
  const index = new PrefixIndex(["/a", "/a/b/", "/a/b/c", "/a/c", "/b"]);
  for (const [text, found] of [
    ["/a/b/c/d", ["/a/b/c", "/a/b/", "/a"]],
    ["/a/b/d", ["/a/b/", "/a"]],
    ["/a/d", ["/a"]],
    ["/a", ["/a"]],
    ["/", []],
    ["/c", []],
  ] as const) {
    assert.deepEqual([...index.prefixesOf(text)], found, text);
    assert.equal(index.covers(text), found.length > 0, text);
  }
});

test("PrefixIndex finds what comparing with each prefix finds", () => {
  const random = seededRandom(18);
  const word = () =>
    Array.from({ length: randomInt(random, 6) }, () => "ab/"[randomInt(random, 3)]);
  for (let round = 0; round < 200; round++) {
    const prefixes = Array.from({ length: randomInt(random, 12) }, () => word().join(""));
    const index = new PrefixIndex(prefixes);
    const text = word().join("");
    const expected = [...new Set(prefixes)].filter((prefix) => text.startsWith(prefix));
    assert.deepEqual([...index.prefixesOf(text)].reverse(), expected.sort());
  }
});
