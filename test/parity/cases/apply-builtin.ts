import type { Area, Case, Step } from "../case.ts";
import { Seeded } from "./seeded.ts";
import {
  apply,
  autoscalersV1,
  autoscalersV2,
  configMaps,
  create,
  deployments,
  jsonPatch,
  merge,
  pods,
  read,
  services,
  strategic,
  update,
} from "./steps.ts";

const sequence = (name: string, ...steps: Step[]): Case => ({ name, steps });
const map = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", ...metadata },
  data,
});
const finalized = (...finalizers: string[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", finalizers },
});
const managedBy = (manager: string, apiVersion: string) => [
  {
    manager,
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { "f:x": {} } },
  },
];
const mapPath = `${configMaps}/m`;
const onMap = (manager: string, data: object, force?: boolean): Step =>
  apply(mapPath, map(data), force === undefined ? { manager } : { manager, force });

const lastApplied = (data: object) =>
  `${JSON.stringify({ apiVersion: "v1", data, kind: "ConfigMap", metadata: { name: "m", namespace: "{ns}" } })}\n`;
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
/** A stored object as an earlier step answered it, with some fields changed. */
const changed = (index: number, change: (object: Stored) => void) => (answers: Stored[]) => {
  const object = structuredClone(answers[index] as Stored);
  change(object);
  return object;
};
type Stored = {
  metadata: Record<string, unknown>;
  data: Record<string, string>;
  spec: Record<string, unknown>;
};

const configMapCases: readonly Case[] = [
  sequence("configmap creates", onMap("a", { x: "1" })),
  sequence("configmap shares", onMap("a", { x: "1" }), onMap("b", { y: "2" }), onMap("a", {})),
  sequence("configmap conflict", onMap("a", { x: "1" }), onMap("b", { x: "2" })),
  sequence(
    "configmap force",
    onMap("a", { x: "1" }),
    onMap("b", { x: "2" }, true),
    onMap("a", { x: "3" }),
  ),
  sequence(
    "configmap created then applied",
    create(configMaps, map({ x: "1", y: "2" }), { manager: "c" }),
    onMap("a", { x: "1" }),
    onMap("a", { x: "2" }),
    onMap("a", { y: "3" }, true),
  ),
  sequence(
    "configmap put by another",
    onMap("a", { x: "1", y: "2" }),
    update(
      mapPath,
      changed(0, (object) => {
        object.data = { x: "9", z: "3" };
      }),
      { manager: "u" },
    ),
    onMap("a", { x: "1" }),
    onMap("a", { z: "3" }),
  ),
  sequence(
    "configmap put without managed fields",
    onMap("a", { x: "1" }),
    update(mapPath, map({ x: "2" }), { manager: "u" }),
  ),
  sequence(
    "configmap put that changes nothing",
    onMap("a", { x: "1" }),
    update(
      mapPath,
      changed(0, () => undefined),
      { manager: "u" },
    ),
    read(mapPath),
  ),
  sequence(
    "configmap put with reset managed fields",
    onMap("a", { x: "1" }),
    update(
      mapPath,
      changed(0, (object) => {
        object.metadata["managedFields"] = [{}];
        object.data["y"] = "2";
      }),
      { manager: "u" },
    ),
  ),
  sequence(
    "configmap default manager is the user agent",
    create(configMaps, map({ x: "1" })),
    merge(mapPath, { data: { y: "2" } }),
  ),
  sequence(
    "configmap long manager",
    onMap("m".repeat(128), { x: "1" }),
    onMap("m".repeat(129), { x: "1" }),
  ),
  sequence("configmap manager with odd letters", onMap('o"d<d>\n', { x: "1" })),
  sequence(
    "configmap strategic patch",
    onMap("a", { x: "1", y: "2" }),
    strategic(mapPath, { data: { x: "3", y: null } }, { manager: "s" }),
  ),
  sequence(
    "configmap json patch",
    onMap("a", { x: "1", y: "2" }),
    jsonPatch(
      mapPath,
      [
        { op: "remove", path: "/data/y" },
        { op: "add", path: "/data/z", value: "1" },
      ],
      { manager: "j" },
    ),
  ),
  sequence(
    "configmap kubectl takes over its annotation",
    create(
      configMaps,
      map({ x: "1", y: "2" }, { annotations: { [annotation]: lastApplied({ x: "1", y: "2" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "2", y: "2" }),
    onMap("kubectl", { x: "2" }),
  ),
  sequence(
    "configmap another manager does not take over",
    create(
      configMaps,
      map({ x: "1" }, { annotations: { [annotation]: lastApplied({ x: "1" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("other", { x: "2" }),
  ),
  sequence(
    "configmap annotation is stale",
    create(
      configMaps,
      map({ x: "1", y: "2" }, { annotations: { [annotation]: lastApplied({ x: "0", y: "2" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "3", y: "3" }),
  ),
  sequence(
    "configmap annotation is kept up to date",
    create(
      configMaps,
      map({ x: "<1>" }, { annotations: { [annotation]: lastApplied({ x: "<1>" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "<2>", a: "&" }),
  ),
  sequence(
    "configmap annotation is broken",
    create(configMaps, map({ x: "1" }, { annotations: { [annotation]: "{" } }), {
      manager: "kubectl-client-side-apply",
    }),
    onMap("kubectl", { x: "2" }),
  ),
  sequence(
    "configmap before first apply",
    create(configMaps, map({ x: "1" }), { manager: "c" }),
    merge(mapPath, { metadata: { managedFields: [{}] } }, { manager: "c" }),
    onMap("a", { x: "2" }),
    onMap("a", { y: "2" }),
    read(mapPath),
  ),
  sequence(
    "configmap ancient changes",
    onMap("first", { x: "0" }),
    ...Array.from({ length: 12 }, (_, index) =>
      merge(mapPath, { data: { [`k${index}`]: "1" } }, { manager: `u${index}` }),
    ),
    onMap("last", { k0: "2" }),
  ),
  sequence(
    "configmap ancient changes over time",
    onMap("first", { x: "0" }),
    ...Array.from({ length: 12 }, (_, index) =>
      merge(
        mapPath,
        { data: { [`k${index}`]: "1" } },
        { manager: `u${11 - index}`, ...(index % 4 === 3 ? { waitSeconds: 1.1 } : {}) },
      ),
    ),
  ),
  sequence(
    "configmap times",
    onMap("a", { x: "1" }),
    { ...onMap("b", { x: "1" }), waitSeconds: 1.1 },
    { ...onMap("a", { x: "1" }), waitSeconds: 1.1 },
    merge(mapPath, { data: { x: "1" } }, { manager: "m" }),
    merge(mapPath, { data: { x: "2" } }, { manager: "m" }),
    merge(mapPath, { data: { y: "2" } }, { manager: "m", waitSeconds: 1.1 }),
  ),
  sequence(
    "configmap dry run",
    onMap("a", { x: "1" }),
    apply(mapPath, map({ x: "2" }), { manager: "a", query: "dryRun=All" }),
    read(mapPath),
  ),
  sequence("configmap unknown field", apply(mapPath, { ...map({}), nine: 1 }, { manager: "a" })),
  sequence("configmap wrong type", onMap("a", { x: 1 })),
  sequence(
    "configmap duplicate key strict",
    apply(mapPath, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {x: a, x: b}\n", {
      manager: "a",
      query: "fieldValidation=Strict",
    }),
  ),
  sequence(
    "configmap duplicate key",
    apply(mapPath, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {x: a, x: b}\n", {
      manager: "a",
    }),
  ),
  sequence(
    "configmap immutable",
    apply(mapPath, { ...map({ x: "1" }), immutable: true }, { manager: "a" }),
    onMap("a", { x: "2" }),
  ),
  sequence(
    "configmap finalizers",
    apply(mapPath, finalized("x.io/a", "x.io/b"), { manager: "a" }),
    apply(mapPath, finalized("x.io/c", "x.io/b"), { manager: "b" }),
    apply(mapPath, finalized("x.io/a"), { manager: "a" }),
  ),
  sequence(
    "configmap managed fields set empty",
    onMap("a", { x: "1" }),
    merge(mapPath, { metadata: { managedFields: [] } }, { manager: "m" }),
    merge(mapPath, { data: { y: "1" } }, { manager: "m" }),
    onMap("b", { y: "2" }),
  ),
  sequence(
    "configmap obsolete version",
    onMap("a", { x: "1" }),
    merge(mapPath, { metadata: { managedFields: managedBy("h", "v0") } }, { manager: "m" }),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap obsolete version beside another",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        metadata: { managedFields: [...managedBy("g", "v1"), ...managedBy("h", "example.com/v1")] },
      },
      { manager: "m" },
    ),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap unreadable managed fields",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        data: { y: "1" },
        metadata: { managedFields: [{ ...managedBy("h", "v1")[0], fieldsV1: { x: {} } }] },
      },
      { manager: "m" },
    ),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap odd managed fields",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        metadata: {
          managedFields: [
            {
              ...managedBy("h", "v1")[0],
              fieldsV1: { "f:data": { ".": {}, "r:x": {}, 'v:"z"': {}, "i:1": {} } },
            },
          ],
        },
      },
      { manager: "m" },
    ),
    onMap("b", { y: "2" }),
  ),
  sequence("configmap empty map conflicts", onMap("a", {}), onMap("b", {})),
  sequence(
    "configmap deleted by applying",
    onMap("a", { x: "1" }),
    { method: "DELETE", path: mapPath },
    onMap("a", { x: "2" }),
  ),
];

interface PodParts {
  readonly containers: readonly object[];
  readonly more?: object;
}
const deployment = (
  spec: object,
  pod: PodParts = { containers: [{ name: "a", image: "a:1" }] },
  metadata: object = {},
) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", ...metadata },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: pod.containers, ...pod.more },
    },
    ...spec,
  },
});
const path = `${deployments}/d`;
const on = (manager: string, body: object, force?: boolean): Step =>
  apply(path, body, force === undefined ? { manager } : { manager, force });
const partial = (spec: object, metadata: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", ...metadata },
  spec,
});
const inPod = (spec: object) => partial({ template: { spec } });

const deploymentCases: readonly Case[] = [
  sequence("deployment creates", on("a", deployment({ replicas: 3 }))),
  sequence(
    "deployment created by POST",
    create(deployments, deployment({ replicas: 3 }), { manager: "c" }),
  ),
  sequence(
    "deployment replicas conflict",
    on("a", deployment({ replicas: 3 })),
    merge(path, { spec: { replicas: 5 } }, { manager: "hpa" }),
    on("a", deployment({ replicas: 3 })),
    on("a", deployment({})),
    on("a", deployment({ replicas: 4 }), true),
  ),
  sequence(
    "deployment replicas given up",
    on("a", deployment({ replicas: 3 })),
    on("a", deployment({})),
  ),
  sequence(
    "deployment scale",
    on("a", deployment({ replicas: 3 })),
    merge(`${path}/scale`, { spec: { replicas: 5 } }, { manager: "scaler" }),
    on("a", deployment({ replicas: 3 })),
  ),
  sequence(
    "deployment scale applied",
    on("a", deployment({ replicas: 3 })),
    apply(
      `${path}/scale`,
      {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "d" },
        spec: { replicas: 5 },
      },
      { manager: "scaler" },
    ),
    apply(
      `${path}/scale`,
      {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "d" },
        spec: { replicas: 5 },
      },
      { manager: "scaler", force: true },
    ),
  ),
  sequence(
    "deployment status",
    on("a", deployment({})),
    merge(
      `${path}/status`,
      {
        status: {
          replicas: 1,
          conditions: [
            {
              type: "Available",
              status: "True",
              lastUpdateTime: "2019-01-01T00:00:00Z",
              lastTransitionTime: "2019-01-01T00:00:00Z",
            },
          ],
        },
      },
      { manager: "controller" },
    ),
    apply(
      `${path}/status`,
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        status: { replicas: 2 },
      },
      { manager: "x" },
    ),
  ),
  sequence(
    "deployment status in a spec apply",
    on("a", { ...deployment({}), status: { replicas: 9 } }),
  ),
  sequence(
    "deployment container added by another",
    on("a", deployment({})),
    on("b", inPod({ containers: [{ name: "b", image: "b:1" }] })),
    on("a", deployment({}, { containers: [{ name: "a", image: "a:2" }] })),
    on("b", inPod({ containers: [] })),
  ),
  sequence(
    "deployment container removed",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1" },
            { name: "b", image: "b:1" },
          ],
        },
      ),
    ),
    on("a", deployment({})),
  ),
  sequence(
    "deployment image conflict",
    on("a", deployment({})),
    on("b", inPod({ containers: [{ name: "a", image: "a:2" }] })),
    on("b", inPod({ containers: [{ name: "a", image: "a:2" }] }), true),
    on("a", deployment({})),
  ),
  sequence(
    "deployment env",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [
                { name: "X", value: "1" },
                { name: "Y", value: "2" },
              ],
            },
          ],
        },
      ),
    ),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "Z", value: "3" }] }] })),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [{ name: "Y", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment ports with default protocol",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }],
            },
          ],
        },
      ),
    ),
    on(
      "b",
      inPod({
        containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] }],
      }),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", ports: [{ containerPort: 80, protocol: "UDP" }] },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment resources in other units",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } },
          ],
        },
      ),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } },
          ],
        },
      ),
    ),
    on("b", inPod({ containers: [{ name: "a", resources: { limits: { cpu: 1 } } }] })),
  ),
  sequence(
    "deployment strategy",
    on("a", deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } })),
    on("b", partial({ strategy: { rollingUpdate: { maxUnavailable: "50%" } } })),
    on("a", deployment({ strategy: { type: "Recreate" } })),
  ),
  sequence(
    "deployment volumes",
    on(
      "a",
      deployment(
        {},
        {
          containers: [{ name: "a", image: "a:1", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
          more: { volumes: [{ name: "v", emptyDir: {} }] },
        },
      ),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [{ name: "a", image: "a:1", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
          more: { volumes: [{ name: "v", configMap: { name: "cm" } }] },
        },
      ),
    ),
    on("a", deployment({})),
  ),
  sequence(
    "deployment node selector is atomic",
    on(
      "a",
      deployment(
        {},
        { containers: [{ name: "a", image: "a:1" }], more: { nodeSelector: { x: "1" } } },
      ),
    ),
    on("b", inPod({ nodeSelector: { y: "2" } })),
  ),
  sequence(
    "deployment labels",
    on("a", deployment({}, undefined, { labels: { a: "1" } })),
    on("b", partial({}, { labels: { b: "2" } })),
    on("a", deployment({})),
  ),
  sequence(
    "deployment missing container name",
    on("a", deployment({}, { containers: [{ image: "a:1" }] })),
  ),
  sequence(
    "deployment duplicate containers",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1" },
            { name: "a", image: "a:2" },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment duplicate env by POST",
    create(
      deployments,
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [
                { name: "X", value: "1" },
                { name: "X", value: "2" },
              ],
            },
          ],
        },
      ),
      { manager: "c" },
    ),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "Y", value: "1" }] }] })),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "X", value: "3" }] }] })),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "X", value: "3" }] }] }), true),
  ),
  sequence(
    "deployment duplicate ports by POST",
    create(
      deployments,
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              ports: [
                { containerPort: 80, name: "p" },
                { containerPort: 80, name: "q" },
              ],
            },
          ],
        },
      ),
      { manager: "c" },
    ),
    merge(
      path,
      {
        spec: {
          template: {
            spec: {
              containers: [{ name: "a", image: "a:1", ports: [{ containerPort: 80, name: "p" }] }],
            },
          },
        },
      },
      { manager: "m" },
    ),
  ),
  sequence("deployment unknown field", on("a", deployment({ nine: 1 }))),
  sequence(
    "deployment unknown nested field",
    on("a", deployment({}, { containers: [{ name: "a", image: "a:1", nine: 1 }] })),
  ),
  sequence("deployment wrong type", on("a", deployment({ replicas: "3" }))),
  sequence(
    "deployment selector changed",
    on("a", deployment({})),
    on("a", deployment({ selector: { matchLabels: { app: "e" } } })),
  ),
  sequence(
    "deployment put by the same manager",
    create(deployments, deployment({ replicas: 1 }), { manager: "c" }),
    update(
      path,
      changed(0, (object) => {
        object.spec["replicas"] = 2;
        object.spec["paused"] = true;
      }),
      { manager: "c" },
    ),
    update(
      path,
      changed(1, (object) => {
        delete object.spec["paused"];
      }),
      { manager: "d" },
    ),
  ),
];

const servicePath = `${services}/s`;
const service = (spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec,
});
const onService = (manager: string, spec: object, force?: boolean): Step =>
  apply(servicePath, service(spec), force === undefined ? { manager } : { manager, force });
const headless = { clusterIP: "None" };

const serviceCases: readonly Case[] = [
  sequence(
    "service creates",
    onService("a", { ...headless, ports: [{ port: 80 }], selector: { app: "s" } }),
  ),
  sequence(
    "service ports",
    onService("a", { ...headless, ports: [{ port: 80, name: "a" }] }),
    onService("b", { ports: [{ port: 81, name: "b" }] }),
    onService("a", { ...headless, ports: [{ port: 82, name: "a" }] }),
  ),
  sequence(
    "service two protocols",
    onService("a", {
      ...headless,
      ports: [
        { port: 53, name: "t" },
        { port: 53, protocol: "UDP", name: "u" },
      ],
    }),
    onService("b", { ports: [{ port: 53, protocol: "UDP", targetPort: "dns" }] }),
    onService("b", { ports: [{ port: 53, protocol: "UDP", targetPort: "dns" }] }, true),
  ),
  sequence(
    "service selector is atomic",
    onService("a", { ...headless, ports: [{ port: 80 }], selector: { app: "s" } }),
    onService("b", { selector: { tier: "x" } }),
  ),
  sequence(
    "service cluster address is not owned",
    onService("a", { ports: [{ port: 80 }] }),
    onService("a", { ports: [{ port: 80 }], sessionAffinity: "ClientIP" }),
  ),
  sequence(
    "service created by POST",
    create(services, service({ ports: [{ port: 80 }], selector: { app: "s" } }), { manager: "c" }),
    merge(servicePath, { spec: { ports: [{ port: 81 }] } }, { manager: "m" }),
  ),
  sequence(
    "service status",
    create(
      services,
      service({
        type: "LoadBalancer",
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 80 }],
      }),
      { manager: "c" },
    ),
    merge(
      `${servicePath}/status`,
      { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
      { manager: "cloud" },
    ),
    apply(
      `${servicePath}/status`,
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s" },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.5" }] } },
      },
      { manager: "x" },
    ),
  ),
];

const podPath = `${pods}/p`;
const pod = (spec: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...metadata },
  spec,
});
const plainPod = pod({ containers: [{ name: "a", image: "a:1" }] });
const ready = (status: string) => ({
  type: "Ready",
  status,
  lastProbeTime: null,
  lastTransitionTime: "2019-01-01T00:00:00Z",
});
const podCases: readonly Case[] = [
  sequence("pod creates", apply(podPath, plainPod, { manager: "a" })),
  sequence(
    "pod created by POST",
    create(
      pods,
      pod(
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [{ name: "E", value: "1" }],
              ports: [{ containerPort: 80 }],
              volumeMounts: [{ name: "v", mountPath: "/v" }],
              livenessProbe: { httpGet: { path: "/", port: 80 } },
            },
          ],
          volumes: [{ name: "v", emptyDir: {} }],
          tolerations: [{ key: "k", operator: "Exists" }],
        },
        { labels: { a: "1" } },
      ),
      { manager: "c" },
    ),
  ),
  sequence(
    "pod status",
    create(pods, plainPod, { manager: "c" }),
    strategic(
      `${podPath}/status`,
      {
        status: {
          phase: "Running",
          podIP: "10.1.0.1",
          podIPs: [{ ip: "10.1.0.1" }],
          conditions: [ready("True")],
          containerStatuses: [
            {
              name: "a",
              image: "a:1",
              imageID: "x",
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: "2019-01-01T00:00:00Z" } },
            },
          ],
        },
      },
      { manager: "kubelet" },
    ),
    strategic(
      `${podPath}/status`,
      { status: { conditions: [ready("False")] } },
      { manager: "kubelet" },
    ),
    strategic(
      `${podPath}/status`,
      { status: { conditions: [{ type: "Other", status: "True" }] } },
      { manager: "other" },
    ),
  ),
  sequence(
    "pod status applied",
    create(pods, plainPod, { manager: "c" }),
    apply(
      `${podPath}/status`,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        status: { conditions: [{ type: "Mine", status: "True" }] },
      },
      { manager: "x" },
    ),
    apply(
      `${podPath}/status`,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status: { phase: "Failed" } },
      { manager: "x" },
    ),
  ),
  sequence(
    "pod labels by two",
    apply(podPath, plainPod, { manager: "a" }),
    apply(
      podPath,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { l: "1" } } },
      { manager: "b" },
    ),
    merge(podPath, { metadata: { labels: { l: "2" } } }, { manager: "m" }),
    apply(
      podPath,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { l: "1" } } },
      { manager: "b" },
    ),
  ),
  sequence(
    "pod image",
    apply(podPath, plainPod, { manager: "a" }),
    merge(podPath, { spec: { containers: [{ name: "a", image: "a:2" }] } }, { manager: "m" }),
    apply(podPath, plainPod, { manager: "a" }),
    apply(podPath, plainPod, { manager: "a", force: true }),
  ),
  sequence(
    "pod ephemeral containers",
    create(pods, plainPod, { manager: "c" }),
    strategic(
      `${podPath}/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: "e", image: "e:1" }] } },
      { manager: "debug" },
    ),
  ),
  sequence(
    "pod resize",
    create(
      pods,
      pod({ containers: [{ name: "a", image: "a:1", resources: { requests: { cpu: "1" } } }] }),
      { manager: "c" },
    ),
    strategic(
      `${podPath}/resize`,
      { spec: { containers: [{ name: "a", resources: { requests: { cpu: "2" } } }] } },
      { manager: "vpa" },
    ),
  ),
];

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    maxReplicas: 3,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ],
  },
};
const autoscalerV1 = {
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: { scaleTargetRef: autoscaler.spec.scaleTargetRef, maxReplicas: 3 },
};
const autoscalerCases: readonly Case[] = [
  sequence(
    "autoscaler in two versions",
    apply(`${autoscalersV2}/h`, autoscaler, { manager: "a" }),
    apply(
      `${autoscalersV1}/h`,
      { ...autoscalerV1, spec: { ...autoscalerV1.spec, maxReplicas: 4 } },
      { manager: "b" },
    ),
    apply(
      `${autoscalersV1}/h`,
      { ...autoscalerV1, spec: { ...autoscalerV1.spec, minReplicas: 2 } },
      { manager: "b" },
    ),
    apply(
      `${autoscalersV2}/h`,
      { ...autoscaler, spec: { ...autoscaler.spec, maxReplicas: 5 } },
      { manager: "a", force: true },
    ),
    read(`${autoscalersV1}/h`),
  ),
];

function seededDeployment(random: Seeded): object {
  const names = random.some(["a", "b", "c"], 0.5, true);
  return partial({
    ...(random.chance(0.3) ? { replicas: random.below(3) } : {}),
    ...(random.chance(0.2) ? { paused: random.chance(0.5) } : {}),
    template: {
      ...(random.chance(0.3)
        ? { metadata: { annotations: { [random.pick(["x", "y"])]: random.pick(["1", "2"]) } } }
        : {}),
      spec: {
        containers: names.map((name) => seededContainer(random, name)),
        ...(random.chance(0.3)
          ? { tolerations: [{ key: random.pick(["k", "l"]), operator: "Exists" }] }
          : {}),
        ...(random.chance(0.3) ? { securityContext: { runAsUser: random.below(2) + 1 } } : {}),
        ...(random.chance(0.3)
          ? { volumes: [{ name: "v", emptyDir: random.pick([{}, { medium: "Memory" }]) }] }
          : {}),
      },
    },
  });
}

function seededContainer(random: Seeded, name: string): object {
  return {
    name,
    image: `${name}:${random.below(2)}`,
    ...(random.chance(0.3) ? { command: random.some(["sh", "-c"]) } : {}),
    ...(random.chance(0.4)
      ? {
          env: random
            .some(["E", "F"], 0.6, true)
            .map((key) => ({ name: key, value: random.pick(["1", "2"]) })),
        }
      : {}),
    ...(random.chance(0.3)
      ? { ports: random.some([80, 81], 0.6).map((containerPort) => ({ containerPort })) }
      : {}),
    ...(random.chance(0.3) ? { resources: { limits: { cpu: random.pick(["1", "2"]) } } } : {}),
  };
}

function seededCase(seed: number): Case {
  const random = new Seeded(seed);
  const steps: Step[] = [
    on("base", deployment({}, { containers: [{ name: "base", image: "base:1" }] })),
  ];
  const length = 3 + random.below(3);
  while (steps.length < length) {
    const manager = random.pick(["a", "b"]);
    if (random.chance(0.2)) steps.push(strategic(path, seededDeployment(random), { manager }));
    else steps.push(on(manager, seededDeployment(random), random.chance(0.6)));
  }
  return { name: `deployment seeded ${seed}`, steps };
}

/** Server-side apply and the tracking of ordinary writes on built-in kinds. */
export const applyBuiltin: Area = {
  name: "apply-builtin",
  cases: [
    ...configMapCases,
    ...deploymentCases,
    ...serviceCases,
    ...podCases,
    ...autoscalerCases,
    ...Array.from({ length: 50 }, (_, seed) => seededCase(2000 + seed)),
  ],
};
