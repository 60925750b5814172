import assert from "node:assert/strict";
import { test } from "node:test";
import { containerHash } from "./container-hash.ts";

test("containerHash() equals upstream's", () => {
  assert.equal(containerHash({ name: "test_container", image: "foo/image:v1" }), "8e45cbd0");
});
