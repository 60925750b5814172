import assert from "node:assert/strict";
import { test } from "node:test";
import { changedResources } from "./migrate-storage.ts";

test("changedResources() finds what is stored in another version, and not what is new or gone", () => {
  const before = { "/apis/a/v1/x": "1", "/apis/a/v1/y": "2", "/apis/a/v1/gone": "3" };
  const after = { "/apis/a/v1/y": "9", "/apis/a/v1/x": "1", "/apis/a/v1/new": "4" };
  assert.deepEqual(changedResources(before, after), ["/apis/a/v1/y"]);
});
