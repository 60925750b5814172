import assert from "node:assert/strict";
import { test } from "node:test";
import { generateName, randomSuffix, safeEncode } from "./generate-name.ts";

test("generateName() adds five safe characters and fits a DNS label", () => {
  const counting = () => {
    let next = 0;
    return (limit: number) => next++ % limit;
  };
  assert.equal(generateName("web-", counting()), "web-bcdfg");
  assert.equal(generateName("x".repeat(70), counting()), `${"x".repeat(58)}bcdfg`);
  assert.match(generateName("web-"), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.equal(randomSuffix(28, counting()), "bcdfghjklmnpqrstvwxz2456789b");
});

test("safeEncode() maps digits as upstream does for hashes", () => {
  assert.equal(safeEncode("0123456789"), "456789bcdf");
});
