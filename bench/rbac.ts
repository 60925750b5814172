/** How long one RBAC decision takes: `node bench/rbac.ts`. The goal is less than 5 µs with 5,000 bindings. */

import { readBootstrapPolicy } from "#/apiserver/auth/rbac/bootstrap-policy.ts";
import { RbacAuthorizer } from "#/apiserver/auth/rbac/rbac-authorizer.ts";
import { RbacIndex } from "#/apiserver/auth/rbac/rbac-index.ts";
import { noAttributes } from "#/apiserver/model/authorizer.ts";
import { systemClock } from "#/std/time/clock.ts";

const bindings = 5_000;
const rounds = 300_000;
const apiGroup = "rbac.authorization.k8s.io";

const index = new RbacIndex();
const policy = readBootstrapPolicy();
for (const { metadata, rules = [] } of policy.clusterroles) {
  index.setRole(metadata.name ?? "", rules);
}
for (const binding of policy.clusterrolebindings) {
  index.setBinding(binding.metadata.name ?? "", binding);
}
for (let n = 0; n < bindings; n++) {
  const namespace = `ns-${n % 100}`;
  index.setRole(`${namespace}/role-${n}`, [
    { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods", `widgets-${n}`] },
  ]);
  index.setBinding(`${namespace}/binding-${n}`, {
    metadata: { name: `binding-${n}`, namespace },
    subjects: [{ kind: n % 2 === 0 ? "User" : "Group", name: `subject-${n % 500}` }],
    roleRef: { apiGroup, kind: "Role", name: `role-${n}` },
  });
}
const authorizer = new RbacAuthorizer(index);
const groups = ["subject-1", "subject-3", "system:authenticated"];

for (const [title, wanted] of [
  ["allowed by a namespaced role", { resource: "pods", namespace: "ns-4", name: "x" }],
  ["refused", { resource: "secrets", namespace: "ns-4", name: "x" }],
  ["a path", { isResourceRequest: false, path: "/healthz" }],
] as const) {
  const attributes = {
    ...noAttributes,
    verb: "get",
    ...wanted,
    user: { name: "subject-4", groups },
  };
  measure(title, () => authorizer.authorize(attributes));
}
const scheduler = { name: "system:kube-scheduler", groups: ["system:authenticated"] };
const update = { ...noAttributes, verb: "update", resource: "pods", subresource: "status" };
measure("the scheduler's update of a pod's status", () =>
  authorizer.authorize({ ...update, namespace: "ns-4", name: "x", user: scheduler }),
);

function measure(title: string, decide: () => { decision: string }): void {
  for (let n = 0; n < rounds / 10; n++) decide();
  const start = systemClock.monotonicMs();
  for (let n = 0; n < rounds; n++) decide();
  const micros = ((systemClock.monotonicMs() - start) * 1000) / rounds;
  process.stdout.write(`${title}: ${micros.toFixed(2)} µs (${decide().decision})\n`);
}
