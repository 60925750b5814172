import assert from "node:assert/strict";
import { test } from "node:test";
import { sortedAlong, sortedLike } from "./shown-patch.ts";

const live = { b: { z: 1, a: [{ y: 1, x: 2 }] }, a: { z: 1, a: 2 } };

test("sortedAlong() sorts only the containers on the paths of operations", () => {
  const shown = sortedAlong([{ op: "test", path: "/b/a/0/y" }], live);
  assert.equal(JSON.stringify(shown), '{"a":{"z":1,"a":2},"b":{"a":[{"x":2,"y":1}],"z":1}}');
});

test("sortedLike() sorts the objects that a merge patch changes or adds", () => {
  const patch = { b: { a: [{ y: 3, x: 4 }] } };
  const patched = { b: { z: 1, a: [{ y: 3, x: 4 }] }, a: live.a };
  const shown = sortedLike(live, patch, patched);
  assert.equal(JSON.stringify(shown), '{"a":{"z":1,"a":2},"b":{"a":[{"x":4,"y":3}],"z":1}}');
});
