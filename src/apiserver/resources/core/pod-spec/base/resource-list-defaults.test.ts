import assert from "node:assert/strict";
import { test } from "node:test";
import { roundResourceList } from "./resource-list-defaults.ts";

test("roundResourceList() rounds up to thousandths and leaves other amounts unchanged", () => {
  const list = { a: "100u", b: "1", c: "500m", d: "1Gi", e: "1n", f: "0.1", g: "-1", h: "2E" };
  roundResourceList(list);
  assert.deepEqual(list, {
    a: "1m",
    b: "1",
    c: "500m",
    d: "1Gi",
    e: "1m",
    f: "100m",
    g: "-1",
    h: "2E",
  });
});
