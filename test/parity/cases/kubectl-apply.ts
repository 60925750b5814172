import { Seeded } from "./seeded.ts";

/** A configuration that kubectl applies, a change by another manager, and another configuration. */
export interface KubectlCase {
  readonly name: string;
  readonly first: object;
  /** A merge patch by another client in between. */
  readonly meanwhile?: object;
  readonly second: object;
  /** Path of the collection. */
  readonly path: string;
}

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const metadata = { name: "x" };

const deployment = (spec: object, pod: object, template: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" }, ...template }, spec: pod },
    ...spec,
  },
});

function seededContainer(random: Seeded, name: string): object {
  const env = random.some(["E", "F", "G"], 0.6, true);
  return {
    name,
    image: `${name}:${random.below(2)}`,
    ...(random.chance(0.3) ? { args: random.some(["p", "q", "r"]) } : {}),
    ...(random.chance(0.6)
      ? { env: env.map((key) => ({ name: key, value: `${random.below(2)}` })) }
      : {}),
    ...(random.chance(0.4)
      ? { ports: random.some([80, 81], 0.6, true).map((containerPort) => ({ containerPort })) }
      : {}),
    ...(random.chance(0.4) ? { resources: { limits: { cpu: random.pick(["1", "2"]) } } } : {}),
    ...(random.chance(0.3) ? { volumeMounts: [{ name: "v", mountPath: "/v" }] } : {}),
  };
}

function seededDeployment(random: Seeded): object {
  const names = random.some(["a", "b", "c"], 0.6, true);
  const source = random.pick([
    { emptyDir: {} },
    { configMap: { name: "cm" } },
    { hostPath: { path: "/h" } },
  ]);
  return deployment(
    {
      ...(random.chance(0.5) ? { replicas: random.below(3) } : {}),
      ...(random.chance(0.3) ? { strategy: { type: "Recreate" } } : {}),
      ...(random.chance(0.3) ? { minReadySeconds: random.below(5) } : {}),
    },
    {
      containers: [...(names.length > 0 ? names : ["a"])].map((name) =>
        seededContainer(random, name),
      ),
      volumes: [{ name: "v", ...source }],
      ...(random.chance(0.3)
        ? { tolerations: [{ key: random.pick(["k", "l"]), operator: "Exists" }] }
        : {}),
      ...(random.chance(0.3) ? { nodeSelector: { [random.pick(["m", "n"])]: "1" } } : {}),
    },
    random.chance(0.4)
      ? { annotations: { [random.pick(["s", "t"])]: random.pick(["1", "2"]) } }
      : {},
  );
}

function seededMeanwhile(random: Seeded): object | undefined {
  return random.pick([
    undefined,
    { spec: { replicas: 7 } },
    { metadata: { labels: { other: "1" }, annotations: { other: "1" } } },
    { spec: { template: { metadata: { annotations: { s: "9" } } } } },
  ]);
}

function seededCase(seed: number): KubectlCase {
  const random = new Seeded(seed);
  const meanwhile = seededMeanwhile(random);
  return {
    name: `deployment seeded ${seed}`,
    path: deployments,
    first: seededDeployment(random),
    ...(meanwhile ? { meanwhile } : {}),
    second: seededDeployment(random),
  };
}

const configMap = (data: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...metadata, ...more },
  data,
});
const configMaps = "/api/v1/namespaces/{ns}/configmaps";

const service = (spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { clusterIP: "None", ...spec },
});
const services = "/api/v1/namespaces/{ns}/services";

const budget = (spec: object) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata,
  spec,
});
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

const widget = (spec: object) => ({
  apiVersion: "parity.example.com/v1",
  kind: "Widget",
  metadata,
  spec,
});
const widgets = "/apis/parity.example.com/v1/namespaces/{ns}/widgets";

const chosen: readonly KubectlCase[] = [
  {
    name: "configmap keys",
    path: configMaps,
    first: configMap({ a: "1", b: "2" }),
    meanwhile: { data: { c: "3" } },
    second: configMap({ a: "9", d: "4" }),
  },
  {
    name: "configmap finalizers",
    path: configMaps,
    first: configMap({}, { finalizers: ["x.io/a", "x.io/b"] }),
    meanwhile: { metadata: { finalizers: ["x.io/a", "x.io/b", "x.io/c"] } },
    second: configMap({}, { finalizers: ["x.io/d", "x.io/a"] }),
  },
  {
    name: "configmap null value",
    path: configMaps,
    first: configMap({ a: "1" }),
    second: configMap({ a: null }),
  },
  {
    name: "configmap data removed",
    path: configMaps,
    first: configMap({ a: "1" }),
    second: { apiVersion: "v1", kind: "ConfigMap", metadata },
  },
  {
    name: "service ports",
    path: services,
    first: service({
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    }),
    second: service({
      ports: [
        { name: "b", port: 81, targetPort: 8081 },
        { name: "c", port: 82 },
      ],
    }),
  },
  {
    name: "service selector",
    path: services,
    first: service({ ports: [{ port: 80 }], selector: { a: "1", b: "2" } }),
    meanwhile: { spec: { selector: { c: "3" } } },
    second: service({ ports: [{ port: 80 }], selector: { a: "1" } }),
  },
  {
    name: "budget selector is replaced",
    path: budgets,
    first: budget({ minAvailable: 1, selector: { matchLabels: { a: "1" } } }),
    second: budget({ minAvailable: 2, selector: { matchLabels: { b: "1" } } }),
  },
  {
    name: "budget with the same selector",
    path: budgets,
    first: budget({ minAvailable: 1, selector: { matchLabels: { a: "1" } } }),
    second: budget({ minAvailable: 2, selector: { matchLabels: { a: "1" } } }),
  },
  {
    name: "deployment strategy",
    path: deployments,
    first: deployment(
      { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } } },
      { containers: [{ name: "a", image: "a:1" }] },
    ),
    second: deployment(
      { strategy: { type: "Recreate" } },
      { containers: [{ name: "a", image: "a:1" }] },
    ),
  },
  {
    name: "widget",
    path: widgets,
    first: widget({ text: "t", number: 1, mapList: [{ name: "a" }], granular: { a: "1", b: "2" } }),
    meanwhile: { spec: { flag: true, granular: { c: "3" } } },
    second: widget({ text: "u", mapList: [{ name: "b" }], granular: { b: "2", d: "4" } }),
  },
  {
    name: "widget struct removed",
    path: widgets,
    first: widget({ struct: { a: "1", c: { d: "2" } }, any: { x: [1], y: { z: 1 } } }),
    meanwhile: { spec: { struct: { b: "3" } } },
    second: widget({ struct: { a: "1" }, any: { x: [2] } }),
  },
  {
    name: "widget empty map",
    path: widgets,
    first: widget({ granular: { a: "1" } }),
    second: widget({ granular: {}, struct: {} }),
  },
];

/** Client-side apply: the patches that kubectl computes from three documents. */
export const kubectlCases: readonly KubectlCase[] = [
  ...chosen,
  ...Array.from({ length: 60 }, (_, seed) => seededCase(3000 + seed)),
];
