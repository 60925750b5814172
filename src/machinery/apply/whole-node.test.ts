import assert from "node:assert/strict";
import { test } from "node:test";
import { memberNode } from "./field-set.ts";
import { anyType } from "./field-type.ts";
import { sharedMembers, wholeNode } from "./whole-node.ts";

const map = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

/** The value inside a number of objects. */
function nested(value: unknown, levels: number): unknown {
  return levels === 0 ? value : { a: nested(value, levels - 1), b: "c" };
}

test("wholeNode() visits a large value once, however deep it is", () => {
  // Twice for each level would never end.
  const levels = 60;
  let node = wholeNode(anyType, nested(map(sharedMembers + 1), levels));
  for (let level = 0; level < levels; level++) {
    assert.equal(node.children?.nodes.size, 2);
    assert.equal(node.children.nodes.get("f:b"), memberNode);
    node = node.children.nodes.get("f:a") ?? memberNode;
  }
  assert.equal(node.children?.nodes.size, sharedMembers + 1);
});

test("wholeNode() shares the nodes of values of the same shape, and keeps none that contains a large value", () => {
  const small = () => wholeNode(anyType, nested(map(3), 2));
  assert.equal(small(), small());
  const large = () => wholeNode(anyType, nested(map(sharedMembers + 1), 2));
  assert.notEqual(large(), large());
});
