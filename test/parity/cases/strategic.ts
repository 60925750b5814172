import type { Area, Case } from "../case.ts";
import { Seeded } from "./seeded.ts";
import { configMaps, create, deployments, services, strategic, widgets } from "./steps.ts";
import { widgetFixtures, widgetPaths } from "./widget.ts";

const container = (name: string, more: object = {}) => ({ name, image: `${name}:1`, ...more });
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", labels: { a: "1", b: "2" }, finalizers: ["x.io/a", "x.io/b", "x.io/c"] },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: {
        containers: [
          container("a", {
            args: ["x", "y"],
            env: [
              { name: "E1", value: "1" },
              { name: "E2", value: "2" },
              { name: "E3", value: "3" },
            ],
            ports: [
              { containerPort: 80, name: "http" },
              { containerPort: 443, name: "https" },
            ],
            resources: { limits: { cpu: "1", memory: "1Gi" } },
          }),
          container("b"),
          container("c"),
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "w", configMap: { name: "cm", items: [{ key: "k", path: "p" }] } },
        ],
        tolerations: [{ key: "t", operator: "Exists" }],
        nodeSelector: { disk: "ssd" },
      },
    },
  },
};
const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", finalizers: ["x.io/a", "x.io/b", "x.io/c"] },
  data: { one: "1", two: "2" },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: {
    clusterIP: "None",
    selector: { app: "s" },
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443, targetPort: 8443 },
    ],
  },
};

const onDeployment = (name: string, patch: unknown, query?: string): Case => ({
  name: `deployment ${name}`,
  steps: [
    create(deployments, deployment),
    strategic(`${deployments}/d`, patch, query ? { query } : {}),
  ],
});
const onMap = (name: string, patch: unknown): Case => ({
  name: `configmap ${name}`,
  steps: [create(configMaps, map), strategic(`${configMaps}/m`, patch)],
});
const onService = (name: string, patch: unknown): Case => ({
  name: `service ${name}`,
  steps: [create(services, service), strategic(`${services}/s`, patch)],
});
const pod = (spec: object) => ({ spec: { template: { spec } } });

const directives: readonly Case[] = [
  onDeployment("merge a container", pod({ containers: [{ name: "b", image: "b:2" }] })),
  onDeployment("add a container", pod({ containers: [container("n")] })),
  onDeployment(
    "add and change",
    pod({ containers: [container("n"), { name: "a", image: "a:2" }] }),
  ),
  onDeployment("delete a container", pod({ containers: [{ name: "b", $patch: "delete" }] })),
  onDeployment(
    "delete a missing container",
    pod({ containers: [{ name: "z", $patch: "delete" }] }),
  ),
  onDeployment("delete without key", pod({ containers: [{ $patch: "delete" }] })),
  onDeployment("replace the list", pod({ containers: [container("n"), { $patch: "replace" }] })),
  onDeployment(
    "replace the list, marker first",
    pod({ containers: [{ $patch: "replace" }, container("n")] }),
  ),
  onDeployment("merge marker in a list", pod({ containers: [{ $patch: "merge", name: "a" }] })),
  onDeployment("unknown marker in a list", pod({ containers: [{ $patch: "x", name: "a" }] })),
  onDeployment("without merge key", pod({ containers: [{ image: "a:2" }] })),
  onDeployment("list by map", pod({ containers: { name: "a" } })),
  onDeployment("list of scalars for a list of maps", pod({ containers: ["a"] })),
  onDeployment("null list", pod({ tolerations: null })),
  onDeployment("replaced list", pod({ tolerations: [{ key: "u", operator: "Exists" }] })),
  onDeployment("scalar list is replaced", pod({ containers: [{ name: "a", args: ["z"] }] })),
  onDeployment(
    "nested merge",
    pod({ containers: [{ name: "a", env: [{ name: "E2", value: "x" }] }] }),
  ),
  onDeployment(
    "nested delete",
    pod({ containers: [{ name: "a", env: [{ name: "E2", $patch: "delete" }] }] }),
  ),
  onDeployment(
    "nested add",
    pod({ containers: [{ name: "a", env: [{ name: "E0", value: "0" }] }] }),
  ),
  onDeployment(
    "ports by containerPort",
    pod({ containers: [{ name: "a", ports: [{ containerPort: 80, name: "web" }] }] }),
  ),
  onDeployment(
    "remove a limit",
    pod({ containers: [{ name: "a", resources: { limits: { cpu: null } } }] }),
  ),
  onDeployment(
    "replace a map",
    pod({ containers: [{ name: "a", resources: { $patch: "replace", limits: { cpu: "2" } } }] }),
  ),
  onDeployment(
    "delete a map",
    pod({ containers: [{ name: "a", resources: { $patch: "delete" } }] }),
  ),
  onDeployment("merge marker in a map", pod({ nodeSelector: { $patch: "merge", disk: "hdd" } })),
  onDeployment("replace labels", { metadata: { labels: { $patch: "replace", c: "3" } } }),
  onDeployment("delete labels", { metadata: { labels: { $patch: "delete" } } }),
  onDeployment("null label", { metadata: { labels: { a: null, z: null } } }),
  onDeployment("new map with nulls", { metadata: { annotations: { a: "1", b: null } } }),
  onDeployment("new map with delete marker", { metadata: { annotations: { $patch: "delete" } } }),
  onDeployment(
    "volume kept keys",
    pod({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] }),
  ),
  onDeployment(
    "volume kept keys, patch outside",
    pod({ volumes: [{ name: "v", $retainKeys: ["name"], hostPath: { path: "/x" } }] }),
  ),
  onDeployment("kept keys not a list", pod({ volumes: [{ name: "v", $retainKeys: "name" }] })),
  onDeployment(
    "volume without kept keys",
    pod({ volumes: [{ name: "v", hostPath: { path: "/x" } }] }),
  ),
  onDeployment("strategy kept keys", {
    spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
  }),
  onDeployment("strategy without kept keys", { spec: { strategy: { type: "Recreate" } } }),
  onDeployment(
    "order",
    pod({ "$setElementOrder/containers": [{ name: "c" }, { name: "a" }, { name: "b" }] }),
  ),
  onDeployment(
    "order of some",
    pod({ "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] }),
  ),
  onDeployment(
    "order and change",
    pod({
      "$setElementOrder/containers": [{ name: "n" }, { name: "c" }, { name: "a" }],
      containers: [container("n"), { name: "a", image: "a:2" }],
    }),
  ),
  onDeployment(
    "order and delete",
    pod({
      "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
      containers: [{ name: "b", $patch: "delete" }],
    }),
  ),
  onDeployment(
    "order against the patch",
    pod({
      "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
      containers: [
        { name: "b", image: "b:2" },
        { name: "a", image: "a:2" },
      ],
    }),
  ),
  onDeployment(
    "order lacks a patched item",
    pod({
      "$setElementOrder/containers": [{ name: "a" }],
      containers: [{ name: "b", image: "b:2" }],
    }),
  ),
  onDeployment(
    "order of a missing list",
    pod({ "$setElementOrder/initContainers": [{ name: "i" }] }),
  ),
  onDeployment(
    "order for a new list",
    pod({
      "$setElementOrder/initContainers": [{ name: "j" }, { name: "i" }],
      initContainers: [container("j"), container("i")],
    }),
  ),
  onDeployment("order not a list", pod({ "$setElementOrder/containers": "x" })),
  onDeployment("order without a field", pod({ $setElementOrder: [{ name: "a" }] })),
  onDeployment("order of an unknown field", pod({ "$setElementOrder/nine": [{ name: "a" }] })),
  onDeployment(
    "order of env",
    pod({
      containers: [
        {
          name: "a",
          "$setElementOrder/env": [{ name: "E3" }, { name: "E0" }, { name: "E1" }],
          env: [{ name: "E0", value: "0" }],
        },
      ],
    }),
  ),
  onDeployment("delete finalizers", {
    metadata: { "$deleteFromPrimitiveList/finalizers": ["x.io/b", "x.io/z"] },
  }),
  onDeployment("delete and add finalizers", {
    metadata: {
      "$deleteFromPrimitiveList/finalizers": ["x.io/b"],
      finalizers: ["x.io/d"],
    },
  }),
  onDeployment("add finalizers", { metadata: { finalizers: ["x.io/d", "x.io/a"] } }),
  onDeployment("order of finalizers", {
    metadata: {
      "$setElementOrder/finalizers": ["x.io/c", "x.io/d", "x.io/a"],
      finalizers: ["x.io/d"],
    },
  }),
  onDeployment("delete list without a field", {
    metadata: { $deleteFromPrimitiveList: ["x.io/a"] },
  }),
  onDeployment("delete list null", { metadata: { "$deleteFromPrimitiveList/finalizers": null } }),
  onDeployment("delete list of a missing list", {
    metadata: { "$deleteFromPrimitiveList/nine": ["a"] },
  }),
  onDeployment("delete list not a list", {
    metadata: { "$deleteFromPrimitiveList/finalizers": "x.io/a" },
  }),
  onDeployment("delete list from maps", pod({ "$deleteFromPrimitiveList/containers": ["a"] })),
  onDeployment("unknown field", { spec: { nine: 1 } }),
  onDeployment("unknown field strict", { spec: { nine: 1 } }, "fieldValidation=Strict"),
  onDeployment("unknown field ignored", { spec: { nine: 1 } }, "fieldValidation=Ignore"),
  onDeployment(
    "duplicate field strict",
    '{"spec":{"replicas":1,"replicas":2}}',
    "fieldValidation=Strict",
  ),
  onDeployment("duplicate field", '{"spec":{"replicas":1,"replicas":2}}'),
  onDeployment("wrong type", { spec: { replicas: "two" } }),
  onDeployment("list patch", "[]"),
  onDeployment("null patch", "null"),
  onDeployment("not JSON", "{"),
  onDeployment("empty", {}),
  onDeployment("root replaced", { $patch: "replace", metadata: { name: "d" } }),
  onDeployment("root marker unknown", { $patch: "x" }),
  onDeployment("mixed list", pod({ containers: [{ name: "a" }, "b"] })),
  onDeployment("list with null", pod({ tolerations: [null] })),
  onMap("value", { data: { one: "x", three: "3" } }),
  onMap("null value", { data: { one: null } }),
  onMap("replaced data", { data: { $patch: "replace", nine: "9" } }),
  onMap("deleted data", { data: { $patch: "delete" } }),
  onMap("null data", { data: null }),
  onMap("proto key", '{"data":{"__proto__":"p","constructor":"c"}}'),
  onMap("new binary data", { binaryData: { b: "AAAA" } }),
  onService("merge by port", { spec: { ports: [{ port: 80, name: "web" }] } }),
  onService("add a port", { spec: { ports: [{ port: 81, name: "alt" }] } }),
  onService("delete a port", { spec: { ports: [{ port: 443, $patch: "delete" }] } }),
  onService("selector", { spec: { selector: { app: null, tier: "x" } } }),
  {
    name: "widget refuses",
    steps: [
      create(widgets, {
        apiVersion: "parity.example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
      }),
      strategic(`${widgets}/w`, { spec: { text: "x" } }),
    ],
  },
];

/** Patches composed at random from all directives. */
function seededCases(count: number): Case[] {
  const random = new Seeded(37);
  return Array.from({ length: count }, (_, index) =>
    onDeployment(`seeded ${index}`, {
      ...(random.chance(0.3) ? { metadata: seededMetadata(random) } : {}),
      spec: { template: { spec: seededPod(random) } },
    }),
  );
}

function seededMetadata(random: Seeded): object {
  const all = ["x.io/a", "x.io/b", "x.io/c", "x.io/d"];
  return {
    labels: {
      ...(random.chance(0.3) ? { a: null } : {}),
      ...(random.chance(0.3) ? { $patch: "replace" } : {}),
      ...(random.chance(0.5) ? { z: "26" } : {}),
    },
    ...(random.chance(0.5) ? { "$deleteFromPrimitiveList/finalizers": random.some(all) } : {}),
    ...(random.chance(0.3) ? { "$setElementOrder/finalizers": random.some(all, 0.7, true) } : {}),
  };
}

function seededPod(random: Seeded): object {
  const names = random.some(["a", "b", "c", "n", "o"], 0.6, true);
  const order = random.chance(0.5);
  const changed = names.filter(() => random.chance(0.7));
  const deleted = random.some(["a", "b", "c"], 0.25).filter((name) => !names.includes(name));
  const items = [
    ...changed.map((name) => seededContainer(random, name)),
    ...deleted.map((name) => ({ name, $patch: "delete" })),
    ...(random.chance(0.1) ? [{ $patch: "replace" }] : []),
  ];
  return {
    ...(order ? { "$setElementOrder/containers": names.map((name) => ({ name })) } : {}),
    ...(items.length > 0 ? { containers: items } : {}),
    ...(random.chance(0.3)
      ? { nodeSelector: { disk: random.pick([null, "hdd"]), zone: "z" } }
      : {}),
    ...(random.chance(0.3) ? { tolerations: [{ key: "k", operator: "Exists" }] } : {}),
    ...(random.chance(0.3) ? { volumes: [seededVolume(random)] } : {}),
  };
}

function seededContainer(random: Seeded, name: string): object {
  const env = random.some(["E1", "E2", "E3", "E4"], 0.5, true);
  return {
    name,
    image: `${name}:${random.below(3)}`,
    ...(random.chance(0.4) ? { args: random.some(["p", "q"]) } : {}),
    ...(random.chance(0.5)
      ? {
          env: env.map((key) =>
            random.chance(0.3)
              ? { name: key, $patch: "delete" }
              : { name: key, value: `${random.below(9)}` },
          ),
        }
      : {}),
    ...(random.chance(0.3) ? { resources: { limits: { cpu: random.pick([null, "2"]) } } } : {}),
  };
}

function seededVolume(random: Seeded): object {
  const name = random.pick(["v", "w", "u"]);
  const source = random.pick([
    { emptyDir: {} },
    { hostPath: { path: "/h" } },
    { secret: { secretName: "s" } },
  ]);
  return random.chance(0.7)
    ? { name, $retainKeys: ["name", ...Object.keys(source)], ...source }
    : { name, ...source };
}

/** Strategic Merge Patch with all of its directives. */
export const strategicPatches: Area = {
  name: "strategic",
  fixtures: widgetFixtures,
  ready: widgetPaths,
  cases: [...directives, ...seededCases(60)],
};
