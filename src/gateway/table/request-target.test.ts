import assert from "node:assert/strict";
import { test } from "node:test";
import { readTarget } from "./request-target.ts";

for (const { target, host = "web.example:8080", expected } of [
  { target: "/a?b=c", expected: "web.example|web.example:8080|/a|?b=c" },
  { target: "/", host: "WEB.Example.", expected: "web.example|WEB.Example.|/|" },
  { target: "*", expected: "web.example|web.example:8080|*|" },
  { target: "http://other.example:81/x", expected: "other.example|other.example:81|/x|" },
  { target: "http://other.example", expected: "other.example|other.example|/|" },
  { target: "http://user@other.example/", expected: undefined },
  { target: "http:///x", expected: undefined },
  { target: "/", host: "[::1]:80", expected: "[::1]|[::1]:80|/|" },
  { target: "/", host: "", expected: undefined },
  { target: "/", host: "a b", expected: undefined },
  { target: "/", host: "a.example/x", expected: undefined },
  { target: "/a b", expected: undefined },
  { target: "a", expected: undefined },
  { target: "/a/../b", expected: "web.example|web.example:8080|/b|" },
  { target: "/../../b/.", expected: "web.example|web.example:8080|/b/|" },
  { target: "/public/%2e%2E/admin?x=..", expected: "web.example|web.example:8080|/admin|?x=.." },
  { target: "/a..b/.c", expected: "web.example|web.example:8080|/a..b/.c|" },
]) {
  test(`readTarget() of ${target} at "${host}"`, () => {
    const found = readTarget(target, host);
    const shown = found && [found.host, found.authority, found.path, found.query].join("|");
    assert.equal(shown, expected);
  });
}
