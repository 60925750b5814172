import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WrittenValues } from "./written-values.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("WrittenValues", () => {
  test("returns the written object, once", () => {
    const values = new WrittenValues();
    const value = bytes("a");
    values.add("key", value);
    assert.equal(values.take("key", bytes("a")), value);
    assert.notEqual(values.take("key", bytes("a")), value);
  });

  test("copies values of other writers", () => {
    const values = new WrittenValues();
    const value = bytes("a");
    values.add("key", value);
    for (const [key, text] of [
      ["key", "b"],
      ["key", "aa"],
      ["other", "a"],
    ] as const) {
      const come = bytes(text);
      const taken = values.take(key, come);
      assert.deepEqual(taken, come);
      assert.notEqual(taken.buffer, come.buffer);
    }
    assert.equal(values.take("key", bytes("a")), value);
  });

  test("drops a failed value, but not a later one of the same key", () => {
    const values = new WrittenValues();
    const [first, second] = [bytes("a"), bytes("a")];
    values.add("key", first);
    values.add("key", second);
    values.drop("key", first);
    assert.equal(values.take("key", bytes("a")), second);
    values.add("key", first);
    values.drop("key", first);
    assert.notEqual(values.take("key", bytes("a")), first);
  });

  test("has a limit of values", () => {
    const values = new WrittenValues();
    const value = bytes("a");
    for (let index = 0; index <= 1000; index++) values.add(`${index}`, value);
    assert.notEqual(values.take("0", bytes("a")), value);
    assert.equal(values.take("1", bytes("a")), value);
  });
});
