import assert from "node:assert/strict";
import { test } from "node:test";
import { findTarget } from "./find-target.ts";
import { buildRouteTable, type HostRule, type Target } from "./route-table.ts";

const target = (service: string): Target => ({
  kind: "backend",
  namespace: "ns",
  service,
  port: 80,
});

/** Rules as "host path", with "=" before an exact path; each leads to a Service of its own text. */
const rules = (...texts: string[]): HostRule[] =>
  texts.map((text) => {
    const [host = "", path = ""] = text.split(" ");
    const isExact = path.startsWith("=");
    return {
      host,
      match: isExact ? "Exact" : "Prefix",
      path: isExact ? path.slice(1) : path,
      target: target(text),
    };
  });

const asked = (host: string, path: string) => ({
  method: "GET",
  host,
  path,
  query: "",
  fields: [],
});

// The examples of Upstream: staging/src/k8s.io/api/networking/v1/types.go and of the documentation of Ingress.
for (const { given, host = "a.b", path, expected } of [
  { given: [" /"], path: "/any/path", expected: " /" },
  { given: [" =/foo"], path: "/foo", expected: " =/foo" },
  { given: [" =/foo"], path: "/bar", expected: "fallback" },
  { given: [" =/foo"], path: "/foo/", expected: "fallback" },
  { given: [" =/foo/"], path: "/foo", expected: "fallback" },
  { given: [" /foo"], path: "/foo", expected: " /foo" },
  { given: [" /foo"], path: "/foo/", expected: " /foo" },
  { given: [" /foo/"], path: "/foo", expected: " /foo/" },
  { given: [" /aaa/bb"], path: "/aaa/bbb", expected: "fallback" },
  { given: [" /aaa/bbb"], path: "/aaa/bbb", expected: " /aaa/bbb" },
  { given: [" /aaa/bbb/"], path: "/aaa/bbb", expected: " /aaa/bbb/" },
  { given: [" /aaa/bbb"], path: "/aaa/bbb/ccc", expected: " /aaa/bbb" },
  { given: [" /aaa/bbb"], path: "/aaa/bbbxyz", expected: "fallback" },
  { given: [" /", " /aaa"], path: "/aaa/ccc", expected: " /aaa" },
  { given: [" /", " /aaa", " /aaa/bbb"], path: "/aaa/bbb", expected: " /aaa/bbb" },
  { given: [" /", " /aaa", " /aaa/bbb"], path: "/ccc", expected: " /" },
  { given: [" /aaa"], path: "/ccc", expected: "fallback" },
  { given: [" /foo", " =/foo"], path: "/foo", expected: " =/foo" },
  { given: ["a.b /", "*.b /", " /"], path: "/", expected: "a.b /" },
  { given: ["*.b /", " /"], path: "/", expected: "*.b /" },
  { given: ["*.b /", " /"], host: "c.a.b", path: "/", expected: " /" },
  { given: ["*.b /"], host: "b", path: "/", expected: "fallback" },
  { given: ["a.b /x", " /"], path: "/", expected: "fallback" },
  { given: ["a.b /x", "a.b /x"], path: "/x", expected: "a.b /x" },
]) {
  test(`findTarget() of ${host}${path} among ${given.join(", ")}`, () => {
    const table = buildRouteTable(rules(...given), target("fallback"));
    assert.deepEqual(findTarget(table, asked(host, path)), target(expected));
  });
}

test("buildRouteTable() keeps the first of equal rules", () => {
  const [first, second] = rules("a.b /x", "a.b /x/") as [HostRule, HostRule];
  const table = buildRouteTable([first, second], target("fallback"));
  assert.deepEqual(findTarget(table, asked("a.b", "/x")), first.target);
});
