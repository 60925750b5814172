import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from "#/api/rbac/v1.ts";
import { journeys, traces } from "#/machinery/journey/handles.ts";
import type { Layer } from "#/machinery/journey/step.ts";
import type { BootstrapPolicy } from "../auth/rbac/bootstrap-policy.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const user = (name: string): Subject => ({ kind: "User", apiGroup, name });
const group = (name: string): Subject => ({ kind: "Group", apiGroup, name });

/** Who may report steps of which layers. The node agents of `k8ts up` are all the user of their node. */
const reporters: readonly {
  readonly name: string;
  readonly subjects: readonly Subject[];
  readonly layers: readonly Layer[];
}[] = [
  {
    name: "controllers",
    subjects: [user("system:kube-controller-manager"), user("system:cloud-controller-manager")],
    layers: ["controllers", "service"],
  },
  { name: "scheduler", subjects: [user("system:kube-scheduler")], layers: ["scheduling"] },
  { name: "nodes", subjects: [group("system:nodes")], layers: ["node", "readiness", "service"] },
  { name: "proxy", subjects: [user("system:kube-proxy")], layers: ["service"] },
];

const readRule: PolicyRule = {
  apiGroups: [journeys.group],
  resources: ["journeys", "clusterjourneys", "histories", "clusterhistories"],
  verbs: ["get", "list", "watch"],
};

const role = (
  name: string,
  rules: readonly PolicyRule[],
  labels: Readonly<Record<string, string>> = {},
): ClusterRole => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: {
    name: `k8ts:journey:${name}`,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  },
  rules: [...rules],
});

const binding = (name: string, subjects: readonly Subject[]): ClusterRoleBinding => ({
  apiVersion,
  kind: "ClusterRoleBinding",
  metadata: {
    name: `k8ts:journey:${name}`,
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  },
  roleRef: { apiGroup, kind: "ClusterRole", name: `k8ts:journey:${name}` },
  subjects: [...subjects],
});

/** The roles of the group: users with `view` may read, and components may report. */
export const journeyPolicy: BootstrapPolicy = {
  clusterroles: [
    role("view", [readRule], { "rbac.authorization.k8s.io/aggregate-to-view": "true" }),
    role("spans", [{ apiGroups: [traces.group], resources: [traces.name], verbs: ["create"] }]),
    ...reporters.map(({ name, layers }) =>
      role(name, [
        {
          apiGroups: [journeys.group],
          resources: ["steps", ...layers.map((layer) => `steps/${layer}`)],
          verbs: ["create"],
        },
      ]),
    ),
  ],
  clusterrolebindings: [
    // What a Pod's token reports belongs to that Pod.
    binding("spans", [group("system:serviceaccounts")]),
    ...reporters.map(({ name, subjects }) => binding(name, subjects)),
  ],
  roles: [],
  rolebindings: [],
};
