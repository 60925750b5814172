import assert from "node:assert/strict";
import { test } from "node:test";
import { knownSize, objectKeys, withMemory } from "./evaluation-memory.ts";

test("objectKeys() lists the keys of an object once in an evaluation", () => {
  const object: Record<string, number> = { a: 1 };
  withMemory(() => {
    const keys = objectKeys(object);
    assert.deepEqual(keys, ["a"]);
    assert.equal(objectKeys(object), keys);
    withMemory(() => assert.equal(objectKeys(object), keys));
  });
  object["b"] = 2;
  withMemory(() => assert.deepEqual(objectKeys(object), ["a", "b"]));
});

test("objectKeys() remembers nothing outside of an evaluation", () => {
  const object: Record<string, number> = { a: 1 };
  assert.deepEqual(objectKeys(object), ["a"]);
  object["b"] = 2;
  assert.deepEqual(objectKeys(object), ["a", "b"]);
});

test("knownSize() counts a long text once in an evaluation, and a short one each time", () => {
  const counted: number[] = [];
  const count = ({ length }: string) => {
    counted.push(length);
    return length;
  };
  withMemory(() => {
    for (const text of ["x".repeat(5_000), "short", "x".repeat(5_000), "short"]) {
      assert.equal(knownSize(text, count), text.length);
    }
  });
  assert.deepEqual(counted, [5_000, 5, 5]);
});
