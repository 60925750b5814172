import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "#/api/rbac/v1.ts";
import { type Attributes, noAttributes } from "../../model/authorizer.ts";
import { RbacAuthorizer } from "./rbac-authorizer.ts";
import { RbacIndex } from "./rbac-index.ts";

const apiGroup = "rbac.authorization.k8s.io";

function open(): { index: RbacIndex; authorizer: RbacAuthorizer } {
  const index = new RbacIndex();
  const rule = (rule: Partial<PolicyRule>): PolicyRule => ({
    verbs: ["get"],
    apiGroups: [""],
    ...rule,
  });
  index.setRole("pods", [rule({ resources: ["pods"] })]);
  index.setRole("logs", [rule({ resources: ["*/log"] })]);
  index.setRole("one", [rule({ resources: ["secrets"], resourceNames: ["a"] })]);
  index.setRole("all", [rule({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] })]);
  index.setRole("paths", [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/logs/*"] }]);
  index.setRole("ns/local", [rule({ resources: ["configmaps"] })]);
  const bind = (name: string, kind: string, role: string): void =>
    index.setBinding(name, {
      metadata: { name },
      subjects: [{ kind, name: `${role}-${kind.toLowerCase()}`, namespace: "ns" }],
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
    });
  for (const role of ["pods", "logs", "one", "all", "paths", "gone"]) {
    for (const kind of ["User", "Group", "ServiceAccount"]) bind(`${role}-${kind}`, kind, role);
  }
  index.setBinding("ns/b", {
    metadata: { name: "b", namespace: "ns" },
    subjects: [
      { kind: "ServiceAccount", name: "sa" },
      { kind: "User", name: "u" },
    ],
    roleRef: { apiGroup, kind: "Role", name: "local" },
  });
  return { index, authorizer: new RbacAuthorizer(index) };
}

const cases: readonly {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly wanted: Partial<Attributes>;
  readonly reason: string;
}[] = [
  {
    user: "pods-user",
    wanted: { resource: "pods" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "pods-User" of ClusterRole "pods" to User "pods-user"',
  },
  {
    user: "x",
    groups: ["a", "pods-group"],
    wanted: { resource: "pods", namespace: "any" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "pods-Group" of ClusterRole "pods" to Group "pods-group"',
  },
  {
    user: "system:serviceaccount:ns:pods-serviceaccount",
    wanted: { resource: "pods" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "pods-ServiceAccount" of ClusterRole "pods" to ServiceAccount "pods-serviceaccount/ns"',
  },
  {
    user: "u",
    wanted: { resource: "configmaps", namespace: "ns" },
    reason: 'RBAC: allowed by RoleBinding "b/ns" of Role "local" to User "u"',
  },
  {
    user: "system:serviceaccount:ns:sa",
    wanted: { resource: "configmaps", namespace: "ns" },
    reason: 'RBAC: allowed by RoleBinding "b/ns" of Role "local" to ServiceAccount "sa/ns"',
  },
  { user: "u", wanted: { resource: "configmaps", namespace: "other" }, reason: "" },
  { user: "u", wanted: { resource: "configmaps" }, reason: "" },
  { user: "pods-user", wanted: { resource: "pods", verb: "list" }, reason: "" },
  { user: "pods-user", wanted: { resource: "pods", apiGroup: "apps" }, reason: "" },
  { user: "pods-user", wanted: { resource: "pods", subresource: "log" }, reason: "" },
  {
    user: "logs-user",
    wanted: { resource: "pods", subresource: "log" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "logs-User" of ClusterRole "logs" to User "logs-user"',
  },
  { user: "logs-user", wanted: { resource: "pods", subresource: "xlog" }, reason: "" },
  {
    user: "one-user",
    wanted: { resource: "secrets", name: "a" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "one-User" of ClusterRole "one" to User "one-user"',
  },
  { user: "one-user", wanted: { resource: "secrets", name: "b" }, reason: "" },
  { user: "one-user", wanted: { resource: "secrets" }, reason: "" },
  {
    user: "all-user",
    wanted: { resource: "x", apiGroup: "y", verb: "z", subresource: "s" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "all-User" of ClusterRole "all" to User "all-user"',
  },
  { user: "all-user", wanted: { isResourceRequest: false, path: "/healthz" }, reason: "" },
  {
    user: "paths-user",
    wanted: { isResourceRequest: false, path: "/logs/a/b" },
    reason:
      'RBAC: allowed by ClusterRoleBinding "paths-User" of ClusterRole "paths" to User "paths-user"',
  },
  { user: "paths-user", wanted: { isResourceRequest: false, path: "/logs" }, reason: "" },
  {
    user: "gone-user",
    groups: ["gone-group"],
    wanted: { resource: "pods" },
    reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  },
];

for (const { user: name, groups = [], wanted, reason } of cases) {
  test(`RbacAuthorizer decides on ${name} and ${JSON.stringify(wanted)}: ${reason || "no opinion"}`, () => {
    const attributes = { ...noAttributes, verb: "get", ...wanted, user: { name, groups } };
    const allowed = reason.startsWith("RBAC: allowed");
    const expected = { decision: allowed ? "allow" : "no-opinion", reason };
    assert.deepEqual(open().authorizer.authorize(attributes), expected);
  });
}

test("RbacAuthorizer sees changes of roles and bindings at once", () => {
  const { index, authorizer } = open();
  const user = { name: "pods-user", groups: [] };
  const may = (): boolean =>
    authorizer.authorize({ ...noAttributes, verb: "get", resource: "pods", user }).decision ===
    "allow";
  assert.equal(may(), true);
  index.setRole("pods", undefined);
  assert.equal(may(), false);
  index.setRole("pods", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]);
  assert.equal(may(), true);
  index.setBinding("pods-User", undefined);
  assert.equal(may(), false);
});
