import assert from "node:assert/strict";
import { test } from "node:test";
import { requestTarget } from "./request-target.ts";

for (const { target, pathname, search } of [
  { target: undefined, pathname: "/", search: "" },
  { target: "/healthz?verbose", pathname: "/healthz", search: "?verbose" },
  { target: "http://other/healthz", pathname: "/healthz", search: "" },
  { target: "//", pathname: "//", search: "" },
  { target: "http://[/x?a=b", pathname: "http://[/x", search: "?a=b" },
]) {
  test(`requestTarget() of ${target}`, () => {
    const found = requestTarget(target);
    assert.deepEqual([found.pathname, found.search], [pathname, search]);
  });
}
