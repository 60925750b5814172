import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldShapes } from "./field-shape.ts";

test("FieldShape.members() lists more members than the stack has room for", () => {
  const count = 60_000;
  const member = { member: true, children: undefined };
  let shape = new FieldShapes().none;
  for (let index = 0; index < count; index++) shape = shape.with(`f:${index}`, member);
  const members = [...shape.members().keys()];
  assert.equal(members.length, count);
  assert.deepEqual(members.slice(0, 2), ["f:0", "f:1"]);
});
