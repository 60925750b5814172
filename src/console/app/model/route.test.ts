import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCases } from "#/testing/check-cases.ts";
import { formatRoute, objectRoute, parseRoute } from "./route.ts";

checkCases("parseRoute", parseRoute, [
  ["#/list/pods?ns=a&q=x%20y", { path: ["list", "pods"], query: { ns: "a", q: "x y" } }],
  ["#/object/pods/a/b%2Fc", { path: ["object", "pods", "a", "b/c"], query: {} }],
  ["", { path: [], query: {} }],
  ["#/a/%E0%A4%A", { path: ["a", "%E0%A4%A"], query: {} }],
]);

test("formatRoute() escapes names and leaves out what is empty", () => {
  assert.equal(
    formatRoute(["list", "a/b"], { q: "", ns: undefined, l: "x=y" }),
    "#/list/a%2Fb?l=x%3Dy",
  );
  assert.equal(objectRoute("nodes", { name: "n1" }, "yaml"), "#/object/nodes/-/n1/yaml");
});
