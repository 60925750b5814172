import assert from "node:assert/strict";
import { test } from "node:test";
import { requestUrl } from "./request-url.ts";

const cases: readonly (readonly [target: string | undefined, path: string, query: string])[] = [
  ["/healthz?a=b&c", "/healthz", "?a=b&c"],
  [undefined, "/", ""],
  ["", "/", ""],
  ["*", "/", ""],
  ["//", "//", ""],
  ["//evil/healthz", "//evil/healthz", ""],
  ["///", "///", ""],
  ["/[", "/[", ""],
  ["//[", "//[", ""],
  ["/%", "/%", ""],
  ["/%ff%00", "/%ff%00", ""],
  ["/a/../b", "/b", ""],
  ["http://other:1/a?b", "/a", "?b"],
  ["http://other:99999/a", "/", ""],
  ["http://", "/", ""],
  ["other:443", "443", ""],
];

for (const [target, path, query] of cases) {
  test(`requestUrl() of ${target}`, () => {
    const { pathname, search } = requestUrl(target === undefined ? {} : { url: target });
    assert.deepEqual([pathname, search], [path, query]);
  });
}
