import assert from "node:assert/strict";
import { test } from "node:test";
import { orderFiles } from "./order-files.ts";

const names = Array.from({ length: 50 }, (_, index) => `src/${index + 10}.test.ts`);

test("orderFiles() starts long files first, whatever the order it gets them in", () => {
  const expected = ["src/b.integration.test.ts", "test/c.test.ts", "src/a.test.ts"];
  assert.deepEqual(orderFiles(expected), expected);
  assert.deepEqual(orderFiles([...expected].reverse()), expected);
});

test("orderFiles() gives the same order for the same seed, and another for another", () => {
  assert.deepEqual(orderFiles(names, 7), orderFiles([...names].reverse(), 7));
  assert.notDeepEqual(orderFiles(names, 7), orderFiles(names, 8));
  assert.deepEqual(orderFiles(names, 7).sort(), names);
});
