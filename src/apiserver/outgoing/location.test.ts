import assert from "node:assert/strict";
import { test } from "node:test";
import { escapePath, formatLocation, joinPaths, parseProxyName } from "./location.ts";

test("parseProxyName() parses names, ports and schemes", () => {
  const cases: readonly [string, ReturnType<typeof parseProxyName>][] = [
    ["a", { scheme: "http", name: "a", port: "" }],
    ["a:80", { scheme: "http", name: "a", port: "80" }],
    ["https:a:web", { scheme: "https", name: "a", port: "web" }],
    [":a:web", { scheme: "http", name: "a", port: "web" }],
    ["https:a:", { scheme: "https", name: "a", port: "" }],
    ["ftp:a:80", undefined],
    [":80", undefined],
    ["", undefined],
    ["a:b:c:d", undefined],
  ];
  for (const [id, expected] of cases) assert.deepEqual(parseProxyName(id), expected, id);
});

test("joinPaths() cleans paths and keeps the slash at their end", () => {
  const cases: readonly [readonly string[], string][] = [
    [[], ""],
    [["", ""], ""],
    [["", "/a//b/"], "/a/b/"],
    [["/x", "/a/../../../b"], "/b"],
    [["/x/", "/"], "/x/"],
  ];
  for (const [parts, expected] of cases) assert.equal(joinPaths(...parts), expected);
});

test("escapePath() escapes as Go does", () => {
  assert.equal(
    escapePath("/a b/$&+,:;=@/!'()*?#%é"),
    "/a%20b/$&+,:;=@/%21%27%28%29%2A%3F%23%25%C3%A9",
  );
});

test("formatLocation() brackets IPv6 addresses", () => {
  const location = { scheme: "https", hostname: "fd00::1", port: 10250, path: "/a", query: "b=c" };
  assert.equal(formatLocation(location as never), "https://[fd00::1]:10250/a?b=c");
});
