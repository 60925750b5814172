import assert from "node:assert/strict";
import { test } from "node:test";
import { changeFields, changePath, corsFields, locationOf } from "./apply-filters.ts";

test("changeFields() sets, adds and removes", () => {
  const changes = {
    set: [["a", "1"] as const],
    add: [["b", "2"] as const, ["n", "3"] as const],
    remove: ["c"],
  };
  assert.deepEqual(changeFields(["a", "0", "b", "0", "c", "0", "d", "0"], changes), [
    ...["b", "0,2", "d", "0", "a", "1", "n", "3"],
  ]);
});

for (const { path, matched, replacement, expected } of [
  { path: "/foo/bar", matched: "/foo", replacement: "/xyz", expected: "/xyz/bar" },
  { path: "/foo/bar", matched: "/foo", replacement: "/xyz/", expected: "/xyz/bar" },
  { path: "/foo/bar", matched: "/foo/", replacement: "/xyz", expected: "/xyz/bar" },
  { path: "/foo", matched: "/foo", replacement: "/xyz", expected: "/xyz" },
  { path: "/foo/", matched: "/foo", replacement: "/xyz", expected: "/xyz/" },
  { path: "/foo/bar", matched: "/foo", replacement: "/", expected: "/bar" },
  { path: "/foo", matched: "/foo", replacement: "/", expected: "/" },
  { path: "/foo", matched: "/foo", replacement: "", expected: "/" },
]) {
  test(`changePath() of ${path} with ${matched} as ${replacement}`, () => {
    assert.equal(changePath(path, { kind: "prefix", matched, path: replacement }), expected);
  });
}

const target = { host: "a.example", authority: "a.example:80", path: "/p", query: "?q" };

for (const { redirect, port = 80, expected } of [
  { redirect: {}, expected: "http://a.example/p?q" },
  { redirect: { host: "b.example" }, expected: "http://b.example/p?q" },
  { redirect: { scheme: "https" }, expected: "https://a.example/p?q" },
  { redirect: { port: 8080 }, expected: "http://a.example:8080/p?q" },
  { redirect: { scheme: "https", port: 443 }, expected: "https://a.example/p?q" },
  { redirect: { scheme: "https", port: 8443 }, expected: "https://a.example:8443/p?q" },
  { redirect: {}, port: 8080, expected: "http://a.example:8080/p?q" },
  { redirect: { scheme: "https" }, port: 8080, expected: "https://a.example/p?q" },
  {
    redirect: { path: { kind: "full", path: "/new" } as const },
    expected: "http://a.example/new?q",
  },
]) {
  test(`locationOf() ${JSON.stringify(redirect)} at port ${port}`, () => {
    const connection = { scheme: "http", port } as const;
    assert.equal(locationOf({ status: 302, ...redirect }, target, connection), expected);
  });
}

const cors = {
  origins: ["https://www.foo.com", "https://*.bar.com"],
  methods: ["GET"],
  headers: [],
  exposed: ["x-a"],
  allowsCredentials: true,
  maxAgeSeconds: 5,
};

for (const { origin, allowed } of [
  { origin: "https://www.foo.com", allowed: true },
  { origin: "https://x.bar.com", allowed: true },
  { origin: "https://x.y.bar.com", allowed: true },
  { origin: "https://bar.com", allowed: false },
  { origin: "http://x.bar.com", allowed: false },
  { origin: "https://x.bar.com.evil.example", allowed: false },
]) {
  test(`corsFields() allows ${origin}: ${allowed}`, () => {
    const fields = corsFields(cors, ["origin", origin], false);
    assert.equal(fields[1], allowed ? origin : undefined);
  });
}
