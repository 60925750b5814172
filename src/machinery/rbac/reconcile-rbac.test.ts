import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from "#/api/rbac/v1.ts";
import { reconcileBinding, reconcileRole } from "./reconcile-rbac.ts";

const pods = (...verbs: string[]): PolicyRule => ({
  apiGroups: [""],
  resources: ["pods"],
  verbs,
});
const role = (rules: PolicyRule[], more: Partial<ClusterRole> = {}): ClusterRole => ({
  metadata: { name: "r" },
  rules,
  ...more,
});
const jane: Subject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" };
const robot: Subject = { kind: "ServiceAccount", name: "robot", namespace: "shop" };
const binding = (subjects: Subject[], name = "r"): ClusterRoleBinding => ({
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
  subjects,
});

test("reconcileRole() adds missing rules and keeps extra ones", () => {
  const due = reconcileRole(role([pods("get", "watch")]), role([pods("get", "list")]));
  assert.deepEqual(
    [due.action, due.missing, due.extra, due.object.rules],
    ["update", [pods("list")], [pods("watch")], [pods("get", "watch"), pods("list")]],
  );
});

test("reconcileRole() removes extra rules if requested", () => {
  const expected = role([pods("get")]);
  const due = reconcileRole(role([pods("get", "list")]), expected, { removesExtra: true });
  assert.deepEqual([due.action, due.object.rules], ["update", expected.rules]);
});

test("reconcileRole() does not change a role that grants all", () => {
  const due = reconcileRole(role([pods("*")]), role([pods("get", "list")]));
  assert.deepEqual([due.action, due.missing], ["none", []]);
});

test("reconcileRole() reports a protected role", () => {
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
  const existing = role([], { metadata: { name: "r", annotations } });
  const due = reconcileRole(existing, role([pods("get")]));
  assert.deepEqual([due.isProtected, due.action], [true, "update"]);
});

test("reconcileRole() does not count aggregated rules as extra", () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const expected = role([], { aggregationRule });
  const due = reconcileRole(role([pods("get")], { aggregationRule }), expected, {
    removesExtra: true,
  });
  assert.deepEqual([due.action, due.extra], ["none", []]);
});

test("reconcileRole() removes an aggregation that is not expected", () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const due = reconcileRole(role([], { aggregationRule }), role([]));
  assert.deepEqual([due.action, due.object.aggregationRule], ["update", undefined]);
});

test("reconcileBinding() adds subjects once, and removes others if requested", () => {
  const adds = reconcileBinding(binding([jane]), binding([robot, robot]));
  assert.deepEqual(
    [adds.missing, adds.extra, adds.object.subjects],
    [[robot], [jane], [jane, robot]],
  );
  const removes = reconcileBinding(binding([jane]), binding([robot]), { removesExtra: true });
  assert.deepEqual(removes.object.subjects, [robot]);
});

test("reconcileBinding() recreates a binding to another role", () => {
  const expected = binding([jane], "other");
  const due = reconcileBinding(binding([jane]), expected);
  assert.deepEqual([due.action, due.object], ["recreate", expected]);
});
