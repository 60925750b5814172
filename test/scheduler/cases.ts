import type { Resource } from "#/api/base/resource.ts";
import {
  type Node,
  nodes,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type PodSpec,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";

/** Objects for a scheduler, in the order of their creation. */
export interface SchedulingCase {
  readonly name: string;
  readonly objects: readonly (readonly [Resource<unknown>, object])[];
}

type Made = readonly [Resource<unknown>, object];

const node = (name: string, spec: Node["spec"] = {}, labels: Record<string, string> = {}): Made => [
  nodes,
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "3" } },
  } satisfies Node,
];
const pod = (
  name: string,
  spec: Partial<PodSpec> = {},
  labels: Record<string, string> = {},
): Made => [
  pods,
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels },
    spec: { containers: [{ name: "main", image: "main" }], ...spec },
  } satisfies Pod,
];
const asking = (requests: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: "main", image: "main", resources: { requests, limits: requests } }],
});
const port = (hostPort: number): Partial<PodSpec> => ({
  containers: [{ name: "main", image: "main", ports: [{ containerPort: 80, hostPort }] }],
});
const claim = (
  name: string,
  spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {},
): Made => [
  persistentVolumeClaims,
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "default",
      ...(spec.volumeName ? { annotations: { "pv.kubernetes.io/bind-completed": "yes" } } : {}),
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  } satisfies PersistentVolumeClaim,
];
const volume = (name: string, host: string): Made => [
  persistentVolumes,
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      hostPath: { path: "/data" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [host] }],
            },
          ],
        },
      },
    },
  } satisfies PersistentVolume,
];
const storageClass = (name: string, volumeBindingMode: StorageClass["volumeBindingMode"]): Made => [
  storageClasses,
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "kubernetes.io/no-provisioner",
    ...(volumeBindingMode ? { volumeBindingMode } : {}),
  } satisfies StorageClass,
];
const budget = (name: string, labels: Record<string, string>): Made => [
  podDisruptionBudgets,
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  } satisfies PodDisruptionBudget,
];
const using = (claimName: string): Partial<PodSpec> => ({
  volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
});
const named = (...values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values }] }],
      },
    },
  },
});
const term = (app: string) => ({
  topologyKey: "kubernetes.io/hostname",
  labelSelector: { matchLabels: { app } },
});
const near = (app: string): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const apart = (app: string): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const spread = (topologyKey: string): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    },
  ],
});
const on = (nodeName: string, spec: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  ...spec,
  nodeName,
});

const taints = [{ key: "dedicated", value: "x", effect: "NoSchedule" as const }];

/** The cases with recorded results of the real scheduler. */
export const cases: readonly SchedulingCase[] = [
  { name: "a pod that fits", objects: [node("a"), pod("pod")] },
  { name: "no nodes", objects: [pod("pod")] },
  {
    name: "too little of everything",
    objects: [
      node("a"),
      node("b"),
      pod("full", on("a", asking({ cpu: "3" }))),
      pod("pod", asking({ cpu: "2", memory: "16Gi", "example.com/gpu": "1" })),
    ],
  },
  {
    name: "too many pods",
    objects: [node("a"), pod("x", on("a")), pod("y", on("a")), pod("z", on("a")), pod("pod")],
  },
  {
    name: "selectors, taints and cordons",
    objects: [
      node("a", { taints }),
      node("b", { unschedulable: true }),
      node("c"),
      pod("pod", { ...asking({ cpu: "9" }), tolerations: [] }),
      pod("selecting", { nodeSelector: { disk: "ssd" } }),
    ],
  },
  {
    name: "nodes by name",
    objects: [
      node("a", { taints }),
      node("b"),
      pod("tainted", named("a")),
      pod("nowhere", named("x")),
    ],
  },
  {
    name: "host ports",
    objects: [node("a"), pod("first", on("a", port(8080))), pod("pod", port(8080))],
  },
  {
    name: "pod affinity",
    objects: [
      node("a"),
      pod("web", on("a"), { app: "web" }),
      pod("guard", on("a", apart("db")), { app: "guard" }),
      pod("near", near("cache")),
      pod("apart", apart("web")),
      pod("refused", {}, { app: "db" }),
    ],
  },
  {
    name: "topology spread",
    objects: [
      node("a", {}, { zone: "a" }),
      node("b", { taints }, { zone: "b" }),
      pod("web", on("a"), { app: "web" }),
      pod("pod", spread("zone"), { app: "web" }),
      pod("unlabelled", spread("rack"), { app: "web" }),
    ],
  },
  {
    name: "volumes",
    objects: [
      node("a"),
      node("b", { taints }),
      storageClass("late", "WaitForFirstConsumer"),
      storageClass("now", "Immediate"),
      claim("unbound", { storageClassName: "now" }),
      claim("waiting", { storageClassName: "late" }),
      volume("elsewhere", "b"),
      claim("bound", { volumeName: "elsewhere" }),
      claim("lost", { volumeName: "nothing" }),
      pod("missing", using("nope")),
      pod("immediate", using("unbound")),
      pod("delayed", using("waiting")),
      pod("far", using("bound")),
      pod("gone", using("lost")),
      pod("ephemeral", {
        volumes: [
          {
            name: "scratch",
            ephemeral: {
              volumeClaimTemplate: {
                metadata: {},
                spec: {
                  accessModes: ["ReadWriteOnce"],
                  resources: { requests: { storage: "1Gi" } },
                },
              },
            },
          },
        ],
      }),
    ],
  },
  {
    name: "a pod that may not preempt",
    objects: [
      node("a"),
      pod("low", on("a", asking({ cpu: "3" }))),
      pod("pod", { ...asking({ cpu: "2" }), priority: 10, preemptionPolicy: "Never" }),
    ],
  },
  {
    name: "no victim to preempt",
    objects: [
      node("a"),
      node("b", { taints }),
      pod("same", on("a", { ...asking({ cpu: "3" }), priority: 10 })),
      pod("pod", { ...asking({ cpu: "2" }), priority: 10 }),
    ],
  },
  {
    name: "preemption",
    objects: [
      node("a"),
      node("b"),
      pod("low", on("a", { ...asking({ cpu: "3" }), priority: 1 })),
      pod("lower", on("b", { ...asking({ cpu: "3" }), priority: 0 })),
      pod("pod", { ...asking({ cpu: "2" }), priority: 10 }),
    ],
  },
  {
    name: "preemption and budgets",
    objects: [
      node("a"),
      node("b"),
      budget("guarded", { app: "guarded" }),
      pod("low", on("a", { ...asking({ cpu: "3" }), priority: 5 })),
      pod("guarded", on("b", { ...asking({ cpu: "3" }), priority: 0 }), { app: "guarded" }),
      pod("pod", { ...asking({ cpu: "2" }), priority: 10 }),
    ],
  },
  {
    name: "gates",
    objects: [node("a"), pod("pod", { schedulingGates: [{ name: "example.com/wait" }] })],
  },
];
