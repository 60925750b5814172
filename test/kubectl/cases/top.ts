import type { Suite } from "../golden-case.ts";

/** A metrics API without a server of its own: custom resources with the names of its resources. */
const metricsApi = ["Node", "Pod"]
  .map((kind) => {
    const name = kind.toLowerCase();
    return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${name}s.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: metrics.k8s.io
  scope: ${kind === "Pod" ? "Namespaced" : "Cluster"}
  names: {plural: ${name}s, singular: ${name}, kind: ${kind}Metrics}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
  })
  .join("---\n");

/** A metrics API whose server doesn't exist. */
const brokenApi = `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {namespace: kube-system, name: metrics-server}
`;

const node = (name: string, usage: string): string =>
  `{apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: ${name}, labels: {zone: a}}, usage: ${usage}}\n`;

const pod = (metadata: string, containers: string): string =>
  `{apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, metadata: {${metadata}}, containers: [${containers}]}\n`;

const usage = [
  node("node-1", "{cpu: 1234567890n, memory: 3145728Ki, swap: 5Mi}"),
  node("node-3", '{cpu: "2", memory: 100Mi}'),
  pod(
    "name: web-1, namespace: shop, labels: {app: web}",
    "{name: app, usage: {cpu: 100500u, memory: 20Mi}}",
  ),
  pod(
    "name: two, namespace: shop, labels: {app: two}",
    '{name: side, usage: {cpu: 1m, memory: "3000000", swap: 2Mi}}, {name: app, usage: {cpu: 50m, memory: 1Gi}}',
  ),
  pod("name: alone, namespace: default", "{name: app, usage: {cpu: 999m, memory: 1Mi}}"),
].join("---\n");

const mistakes = [
  "kubectl top frob",
  "kubectl top node a b",
  "kubectl top pod a b",
  "kubectl top node x -l a=b",
  "kubectl top pod x -l a=b",
  "kubectl top pod x --field-selector=a=b",
  "kubectl top node --sort-by=name",
  "kubectl top pod --sort-by=CPU",
  "kubectl top pod -l 'a in ('",
  "kubectl top pod --field-selector=a",
  "kubectl top node --containers",
  "kubectl top pod --show-capacity",
  "kubectl top node",
  "kubectl top pods -A",
];

const nodes = [
  "",
  " --show-capacity",
  " --show-swap",
  " --show-swap --no-headers",
  " node-1 --show-swap",
  " node-3",
  " node-2",
  " nobody",
  " --sort-by=cpu",
  " --sort-by=memory",
  " -l zone=a",
  " -l zone=b",
  " --no-headers",
  " --use-protocol-buffers=false",
];

const pods = [
  "",
  " -n shop",
  " -n shop --containers",
  " -n shop --sum",
  " -n shop --sum --containers",
  " -n shop --show-swap",
  " -n shop --show-swap --sum",
  " -n shop --no-headers",
  " -n shop --no-headers --sum",
  " -n shop web-1",
  " -n shop two --containers",
  " -n shop two --containers --sort-by=cpu",
  " -n shop --containers --sort-by=memory",
  " -n shop -l app=web",
  " -n shop -l app=nothing",
  " -n shop --field-selector=status.phase=Running",
  " -n shop --field-selector=status.phase=Running -l app=two",
  " -n shop --field-selector=frob=true",
  " -n empty",
  " -n nowhere",
  " nobody",
  " -A",
  " -A --containers",
  " -A --containers --sum",
  " -A --sum --no-headers",
  " -A --sort-by=cpu",
  " -A --sort-by=memory",
  " -A -l app=two",
  " --context=alice",
];

export const suite: Suite = {
  name: "top",
  files: { "broken-api.yaml": brokenApi, "metrics-api.yaml": metricsApi, "usage.yaml": usage },
  cases: [
    { command: "kubectl top --help", only: "usage" },
    { command: "kubectl top node --help", only: "usage" },
    { command: "kubectl top pod --help", only: "usage" },
    ...mistakes,
    "kubectl create -f broken-api.yaml",
    "kubectl top node",
    "kubectl top pod -n shop web-1",
    "kubectl delete -f broken-api.yaml",
    "kubectl create -f metrics-api.yaml",
    "kubectl wait --for=condition=Established crd/nodes.metrics.k8s.io crd/pods.metrics.k8s.io",
    "kubectl top node",
    "kubectl top pod -n empty",
    "kubectl create -f usage.yaml",
    `kubectl patch node node-1 --subresource=status -p '{"status":{"nodeInfo":{"swap":{"capacity":10485760}}}}'`,
    ...nodes.map((rest) => `kubectl top nodes${rest}`),
    ...pods.map((rest) => `kubectl top pod${rest}`),
  ],
};
