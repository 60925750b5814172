import type { Suite } from "../golden-case.ts";

const api = "apiVersion: rbac.authorization.k8s.io/v1";
const role = (kind: string, metadata: string, rules: string): string =>
  `${api}\nkind: ${kind}\nmetadata: {${metadata}}\nrules: [${rules}]\n`;
const binding = (kind: string, metadata: string, ref: string, subjects: string): string =>
  `${api}\nkind: ${kind}\nmetadata: {${metadata}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, ${ref}}\nsubjects: [${subjects}]\n`;
const user = (name: string): string =>
  `{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${name}}`;
const robot = "{kind: ServiceAccount, name: robot, namespace: shop}";

const first = [
  role(
    "Role",
    "name: reader, namespace: fresh, labels: {a: b}",
    '{apiGroups: [""], resources: [pods, services], verbs: [get, list]}',
  ),
  binding(
    "RoleBinding",
    "name: readers, namespace: fresh",
    "kind: Role, name: reader",
    `${user("jane")}, ${robot}`,
  ),
  role(
    "ClusterRole",
    "name: wide",
    '{apiGroups: [apps], resources: [deployments/scale], verbs: ["*"], resourceNames: [x, other]}, {nonResourceURLs: [/logs, "/metrics*"], verbs: [get]}',
  ),
  binding("ClusterRoleBinding", "name: widers", "kind: ClusterRole, name: wide", user("jane")),
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n",
].join("---\n");

const second = [
  role(
    "Role",
    "name: reader, namespace: fresh, labels: {a: c, d: e}, annotations: {why: not}",
    '{apiGroups: [""], resources: [pods], verbs: [get, watch]}',
  ),
  binding(
    "RoleBinding",
    "name: readers, namespace: fresh",
    "kind: Role, name: reader",
    `${user("joe")}, ${user("joe")}, ${robot}`,
  ),
  role(
    "ClusterRole",
    "name: wide",
    "{nonResourceURLs: [/logs, /metrics/x, /foo], verbs: [get, post]}",
  ),
  binding("ClusterRoleBinding", "name: widers", "kind: ClusterRole, name: view", user("jane")),
].join("---\n");

const guarded = (verb: string): string =>
  role(
    "ClusterRole",
    'name: guarded, annotations: {rbac.authorization.kubernetes.io/autoupdate: "false"}',
    `{apiGroups: [""], resources: [pods], verbs: [${verb}]}`,
  );

const aggregated = (label: string): string =>
  `${api}\nkind: ClusterRole\nmetadata: {name: sum}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {${label}: "true"}}]}\n`;

const wrong = {
  "old.yaml": "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata: {name: a}\n",
  "custom.yaml": "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\n",
  "nowhere.yaml": `${api}\nkind: Role\nmetadata: {name: reader}\n`,
  "typo.yaml": `${api}\nkind: Role\nmetadata: {name: reader, namespace: shop}\nrules: 3\n`,
  "list.yaml": `apiVersion: v1\nkind: List\nitems:\n- {${api}, kind: ClusterRole, metadata: {name: listed}}\n`,
};

const reconcile = (rest: string): string => `kubectl auth reconcile ${rest}`;

export const suite: Suite = {
  name: "auth-rules",
  files: {
    "first.yaml": first,
    "second.yaml": second,
    "guarded.yaml": guarded("get"),
    "guarded-2.yaml": guarded("list"),
    "sum.yaml": aggregated("a"),
    "sum-2.yaml": aggregated("b"),
    "plain.yaml": role("ClusterRole", "name: sum", ""),
    ...wrong,
  },
  cases: [
    { command: "kubectl auth --help", only: "usage" },
    { command: "kubectl auth reconcile --help", only: "usage" },
    { command: "kubectl auth can-i --help", only: "usage" },
    "kubectl auth frob",
    reconcile(""),
    reconcile("first.yaml"),
    reconcile("-f first.yaml extra"),
    reconcile("-f missing.yaml"),
    reconcile("-f first.yaml -k ."),
    reconcile("-f first.yaml --dry-run=server"),
    reconcile("-f first.yaml --dry-run=perhaps"),
    reconcile("-f first.yaml -o frob"),
    reconcile("-f first.yaml -n shop"),
    ...Object.keys(wrong).map((file) => reconcile(`-f ${file}`)),
    reconcile("-f nowhere.yaml --dry-run=client"),
    reconcile("-f first.yaml --dry-run=client"),
    reconcile("-f first.yaml --dry-run=client -o yaml"),
    reconcile("-f first.yaml"),
    reconcile("-f first.yaml"),
    reconcile("-f first.yaml -o name"),
    reconcile("-f second.yaml --dry-run=client"),
    reconcile("-f second.yaml --dry-run=client --remove-extra-permissions -o json"),
    reconcile("-f second.yaml --dry-run=client --remove-extra-permissions --remove-extra-subjects"),
    reconcile("-f second.yaml"),
    "kubectl get role,rolebinding -n fresh -o yaml",
    "kubectl get clusterrole/wide clusterrolebinding/widers -o yaml",
    reconcile("-f second.yaml --remove-extra-permissions --remove-extra-subjects"),
    "kubectl get role,rolebinding -n fresh -o yaml",
    reconcile("-f guarded.yaml"),
    reconcile("-f guarded-2.yaml"),
    "kubectl get clusterrole guarded -o jsonpath='{.rules}'",
    reconcile("-f sum.yaml"),
    reconcile("-f sum-2.yaml"),
    reconcile("-f sum-2.yaml --remove-extra-permissions"),
    "kubectl get clusterrole sum -o jsonpath='{.aggregationRule}'",
    reconcile("-f plain.yaml"),
    reconcile("-f guarded.yaml --context=alice"),
    "kubectl auth can-i --list",
    "kubectl auth can-i --list --no-headers",
    "kubectl auth can-i --list --as=jane -n fresh",
    "kubectl auth can-i --list --as=system:serviceaccount:shop:robot -n fresh",
    "kubectl auth can-i --list --context=alice",
    "kubectl auth can-i --list pods",
    "kubectl auth can-i --list -q",
    "kubectl auth can-i --list -A",
    "kubectl auth can-i --list --subresource=log",
    "kubectl auth can-i --no-headers",
    "kubectl auth can-i get pods --no-headers",
  ],
};
