import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attributes, noAttributes } from "../model/authorizer.ts";
import { AbacAuthorizer } from "./abac-authorizer.ts";

const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });

const file = [
  "# A comment, and an empty line.",
  "",
  policy({ user: "alice", namespace: "*", resource: "*", apiGroup: "*" }),
  policy({ user: "bob", namespace: "ns", resource: "pods", readonly: true }),
  policy({ user: "carol", group: "g", nonResourcePath: "/logs/*" }),
  policy({ user: "*", nonResourcePath: "/version" }),
  JSON.stringify({ user: "old", readonly: true }),
].join("\n");

const cases: readonly {
  user: string;
  groups?: string[];
  wanted: Partial<Attributes>;
  allowed: boolean;
}[] = [
  { user: "alice", wanted: { verb: "delete", resource: "x", apiGroup: "y" }, allowed: true },
  { user: "alice", wanted: { isResourceRequest: false, path: "/x" }, allowed: false },
  { user: "bob", wanted: { namespace: "ns", resource: "pods" }, allowed: true },
  { user: "bob", wanted: { namespace: "ns", resource: "pods", verb: "create" }, allowed: false },
  { user: "bob", wanted: { namespace: "other", resource: "pods" }, allowed: false },
  { user: "bob", wanted: { namespace: "ns", resource: "pods", apiGroup: "x" }, allowed: false },
  {
    user: "carol",
    groups: ["g"],
    wanted: { isResourceRequest: false, path: "/logs/a" },
    allowed: true,
  },
  { user: "carol", wanted: { isResourceRequest: false, path: "/logs/a" }, allowed: false },
  {
    user: "x",
    groups: ["system:authenticated"],
    wanted: { isResourceRequest: false, path: "/version" },
    allowed: true,
  },
  { user: "x", wanted: { isResourceRequest: false, path: "/version" }, allowed: false },
  { user: "old", wanted: { resource: "anything" }, allowed: true },
  { user: "old", wanted: { resource: "anything", verb: "update" }, allowed: false },
  { user: "nobody", wanted: { resource: "pods" }, allowed: false },
];

for (const { user: name, groups = [], wanted, allowed } of cases) {
  test(`AbacAuthorizer ${allowed ? "allows" : "has no opinion on"} ${name} ${JSON.stringify(wanted)}`, () => {
    const attributes = { ...noAttributes, verb: "get", ...wanted, user: { name, groups } };
    const decision = new AbacAuthorizer(file, "f").authorize(attributes);
    assert.deepEqual(
      decision,
      allowed
        ? { decision: "allow", reason: "" }
        : { decision: "no-opinion", reason: "No policy matched." },
    );
  });
}

test("AbacAuthorizer reports the line number of an invalid policy", () => {
  assert.throws(() => new AbacAuthorizer('{"user":"a"}\n{', "f"), /policy file f, line 2/);
  assert.throws(
    () => new AbacAuthorizer('{"kind":"X","apiVersion":"y"}', "f"),
    /unrecognized object/,
  );
});
