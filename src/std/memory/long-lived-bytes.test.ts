import assert from "node:assert/strict";
import { test } from "node:test";
import { longLivedBytes } from "./long-lived-bytes.ts";

test("longLivedBytes() returns separate bytes to each caller", () => {
  const sizes = [0, 1, 100, 1023, 1024, 5000, 7, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000];
  const all = sizes.map((size) => longLivedBytes(size));
  for (const [index, bytes] of all.entries()) bytes.fill(index);
  for (const [index, bytes] of all.entries()) {
    assert.equal(bytes.length, sizes[index]);
    assert.ok(bytes.every((byte) => byte === index));
  }
});

test("longLivedBytes() keeps no part of Node's shared buffer pool", () => {
  for (const size of [1, 100, 1000, 2000, 20_000]) {
    const passing = Buffer.allocUnsafe(size);
    assert.notEqual(longLivedBytes(size).buffer, passing.buffer);
    assert.ok(longLivedBytes(size).buffer.byteLength <= Math.max(size, 8192));
  }
});
