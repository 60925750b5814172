import type { Area, Case } from "../case.ts";
import { createEach } from "./create-each.ts";
import { capacities, create, merge, read, update } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";
const priorityClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";
const storage = "/apis/storage.k8s.io/v1";
const storageClasses = `${storage}/storageclasses`;
const attributesClasses = `${storage}/volumeattributesclasses`;
const drivers = `${storage}/csidrivers`;
const nodes = `${storage}/csinodes`;
const attachments = `${storage}/volumeattachments`;

/** Cluster-scoped objects have the name of the case's namespace, so that cases don't conflict. */
const of =
  (apiVersion: string, kind: string) =>
  (content: object, metadata: object = {}): object => ({
    apiVersion,
    kind,
    metadata: { name: "{ns}", ...metadata },
    ...content,
  });

const budget = of("policy/v1", "PodDisruptionBudget");
const selector = { matchLabels: { a: "b" } };
const budgetCases: Case[] = [
  ...createEach(budgets, {
    "budget at least": budget({ spec: { minAvailable: 1, selector } }),
    "budget at most": budget({ spec: { maxUnavailable: "10%", selector } }),
    "budget without spec": budget({}),
    "budget both": budget({ spec: { minAvailable: 1, maxUnavailable: "5%", selector } }),
    "budget too much": budget({ spec: { minAvailable: "101%" } }),
    "budget negative": budget({ spec: { maxUnavailable: -1 } }),
    "budget text": budget({ spec: { maxUnavailable: "x" } }),
    "budget bad selector": budget({
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: [{ key: "a b", operator: "In", values: ["c d"] }] },
      },
    }),
    "budget eviction policy": budget({ spec: { unhealthyPodEvictionPolicy: "Odd" } }),
    "budget with the old label": budget({
      spec: {
        selector: {
          matchExpressions: [
            {
              key: "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match",
              operator: "Exists",
            },
            { key: "a", operator: "Exists" },
          ],
        },
      },
    }),
    "budget with the old label alone": budget({
      spec: {
        selector: {
          matchExpressions: [
            {
              key: "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match",
              operator: "DoesNotExist",
            },
          ],
        },
      },
    }),
    "budget bad name": budget({ spec: {} }, { name: "A B/" }),
    "budget status ignored": budget({ spec: {}, status: { expectedPods: 3 } }),
  }),
  ...afterCreate(budgets, budget({ spec: { minAvailable: 1, selector } }), {
    "budget update": [
      merge(`${budgets}/{ns}`, { spec: { minAvailable: 2 } }),
      merge(`${budgets}/{ns}`, { spec: { selector: null } }),
      merge(`${budgets}/{ns}`, { spec: { minAvailable: "x" } }),
      update(`${budgets}/{ns}`, budget({ spec: {} })),
    ],
    "budget status": [
      merge(`${budgets}/{ns}/status`, {
        metadata: { labels: { c: "d" } },
        spec: { minAvailable: 9 },
        status: {
          disruptionsAllowed: 1,
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
          observedGeneration: 1,
          disruptedPods: { p: "2001-01-01T00:00:00Z" },
        },
      }),
      table(budgets),
    ],
    "budget status wrong": [
      merge(`${budgets}/{ns}/status`, {
        status: {
          disruptionsAllowed: -1,
          currentHealthy: -1,
          desiredHealthy: -1,
          expectedPods: -1,
          conditions: [{ type: "a b", status: "Maybe", reason: "" }],
        },
      }),
    ],
    "budget status conditions": [
      merge(`${budgets}/{ns}/status`, {
        status: {
          conditions: [
            {
              type: "A",
              status: "True",
              reason: "R",
              message: "",
              lastTransitionTime: "2001-01-01T00:00:00Z",
            },
            {
              type: "A",
              status: "False",
              reason: "R",
              message: "",
              lastTransitionTime: "2001-01-01T00:00:00Z",
            },
          ],
        },
      }),
    ],
    "budget delete": [remove(`${budgets}/{ns}`)],
    "budget field selector": [read(`${budgets}?fieldSelector=a%3Db`)],
  }),
];

const runtimeClass = of("node.k8s.io/v1", "RuntimeClass");
const runtimeCases: Case[] = [
  ...createEach(runtimeClasses, {
    "runtime class": runtimeClass({ handler: "h" }),
    "runtime class full": runtimeClass({
      handler: "h",
      overhead: { podFixed: { cpu: "0.25", memory: "120Mi" } },
      scheduling: {
        nodeSelector: { a: "b" },
        tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
      },
    }),
    "runtime class without handler": runtimeClass({}),
    "runtime class odd handler": runtimeClass({ handler: "A.b" }),
    "runtime class odd scheduling": runtimeClass({
      handler: "h",
      overhead: { podFixed: { cpu: "-1", "a b": "1" } },
      scheduling: {
        nodeSelector: { "a b": "c d" },
        tolerations: [
          { key: "k", operator: "Odd" },
          { operator: "Equal", value: "v" },
          { key: "a b", operator: "Exists", value: "v" },
          { key: "k", operator: "Exists" },
          { key: "k", operator: "Exists", tolerationSeconds: 4 },
        ],
      },
    }),
    "runtime class warns": runtimeClass({
      handler: "h",
      scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    }),
    "runtime class bad name": runtimeClass({ handler: "h" }, { name: "A" }),
  }),
  ...afterCreate(runtimeClasses, runtimeClass({ handler: "h" }), {
    "runtime class update": [
      merge(`${runtimeClasses}/{ns}`, { metadata: { labels: { a: "b" } } }),
      merge(`${runtimeClasses}/{ns}`, { handler: "i" }),
      merge(`${runtimeClasses}/{ns}`, { handler: "" }),
      merge(`${runtimeClasses}/{ns}`, { handler: "A.b" }),
      update(`${runtimeClasses}/{ns}`, runtimeClass({ handler: "h" })),
      remove(`${runtimeClasses}/{ns}`),
    ],
    "runtime class table": [table(`${runtimeClasses}/{ns}`)],
  }),
  {
    name: "runtime class created by update",
    steps: [update(`${runtimeClasses}/{ns}`, runtimeClass({ handler: "h" }))],
  },
];

const priorityClass = of("scheduling.k8s.io/v1", "PriorityClass");
const priorityCases: Case[] = [
  ...createEach(priorityClasses, {
    "priority class": priorityClass({ value: 5 }),
    "priority class full": priorityClass({
      value: -5,
      description: "d",
      preemptionPolicy: "Never",
    }),
    "priority class too high": priorityClass({ value: 1000000001 }),
    "priority class of the system": priorityClass({ value: 5 }, { name: "system-{ns}" }),
    "priority class odd policy": priorityClass({ value: 5, preemptionPolicy: "Odd" }),
    "priority class empty policy": priorityClass({ value: 5, preemptionPolicy: "" }),
    "priority class bad name": priorityClass({ value: 5 }, { name: "A" }),
  }),
  ...afterCreate(priorityClasses, priorityClass({ value: 5 }), {
    "priority class update": [
      merge(`${priorityClasses}/{ns}`, { description: "d", globalDefault: false }),
      merge(`${priorityClasses}/{ns}`, { value: 6, preemptionPolicy: "Never" }),
      table(`${priorityClasses}/{ns}`),
      remove(`${priorityClasses}/{ns}`),
    ],
  }),
  {
    name: "priority class delete of the system's",
    steps: [remove(`${priorityClasses}/system-node-critical`)],
  },
];

const storageClass = of("storage.k8s.io/v1", "StorageClass");
const topology = (...expressions: object[]): object => ({
  matchLabelExpressions: expressions,
});
const classCases: Case[] = [
  ...createEach(storageClasses, {
    "storage class": storageClass({ provisioner: "a.io/b" }),
    "storage class without provisioner": storageClass({}),
    "storage class odd": storageClass({
      provisioner: "a b",
      parameters: { "": "x" },
      reclaimPolicy: "Recycle",
      volumeBindingMode: "Later",
    }),
    "storage class too many parameters": storageClass({
      provisioner: "p",
      parameters: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, ""])),
    }),
    "storage class too big": storageClass({
      provisioner: "p",
      parameters: { k: "x".repeat(256 * 1024) },
    }),
    "storage class topologies": storageClass({
      provisioner: "p",
      allowedTopologies: [
        topology({ key: "a b", values: [] }, { key: "k", values: ["v", "v"] }),
        topology({ key: "k", values: ["v"] }, { key: "k", values: ["w"] }),
        topology({ key: "z", values: ["v"] }),
        topology({ key: "z", values: ["v"] }),
        topology(),
      ],
    }),
    "storage class warns": storageClass({
      provisioner: "p",
      allowedTopologies: [
        topology({ key: "failure-domain.beta.kubernetes.io/zone", values: ["z"] }),
      ],
    }),
  }),
  ...afterCreate(
    storageClasses,
    storageClass({ provisioner: "p", parameters: { a: "b" }, allowVolumeExpansion: true }),
    {
      "storage class update": [
        merge(`${storageClasses}/{ns}`, { allowVolumeExpansion: false }),
        merge(`${storageClasses}/{ns}`, {
          provisioner: "q",
          parameters: { a: "c" },
          reclaimPolicy: "Retain",
          volumeBindingMode: "WaitForFirstConsumer",
        }),
        merge(`${storageClasses}/{ns}`, { provisioner: "" }),
        table(`${storageClasses}/{ns}`),
        remove(`${storageClasses}/{ns}`),
      ],
    },
  ),
];

const attributesClass = of("storage.k8s.io/v1", "VolumeAttributesClass");
const attributesCases: Case[] = [
  ...createEach(attributesClasses, {
    "attributes class": attributesClass({ driverName: "d", parameters: { a: "b" } }),
    "attributes class empty": attributesClass({}),
    "attributes class odd": attributesClass({ driverName: "a b", parameters: { "": "" } }),
  }),
  ...afterCreate(attributesClasses, attributesClass({ driverName: "d", parameters: { a: "b" } }), {
    "attributes class update": [
      merge(`${attributesClasses}/{ns}`, { metadata: { labels: { a: "b" } } }),
      merge(`${attributesClasses}/{ns}`, { driverName: "e", parameters: null }),
      table(`${attributesClasses}/{ns}`),
      remove(`${attributesClasses}/{ns}`),
    ],
  }),
];

const driver = of("storage.k8s.io/v1", "CSIDriver");
const driverCases: Case[] = [
  ...createEach(drivers, {
    "driver defaults": driver({ spec: {} }),
    "driver without spec": driver({}),
    "driver odd": driver({
      spec: {
        fsGroupPolicy: "Odd",
        volumeLifecycleModes: ["Odd", "Ephemeral"],
        nodeAllocatableUpdatePeriodSeconds: 9,
        serviceAccountTokenInSecrets: true,
      },
    }),
    "driver tokens": driver({
      spec: {
        tokenRequests: [
          { audience: "a", expirationSeconds: 599 },
          { audience: "a" },
          { audience: "b", expirationSeconds: 4294967297 },
        ],
      },
    }),
    "driver tokens warn": driver({ spec: { tokenRequests: [{ audience: "a" }] } }),
    "driver bad name": driver({ spec: {} }, { name: "A" }),
  }),
  ...afterCreate(drivers, driver({ spec: {} }), {
    "driver update": [
      merge(`${drivers}/{ns}`, { spec: { podInfoOnMount: true } }),
      merge(`${drivers}/{ns}`, {
        spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] },
      }),
      merge(`${drivers}/{ns}`, { spec: { tokenRequests: [{ audience: "" }] } }),
      merge(`${drivers}/{ns}`, { metadata: { labels: { a: "b" } } }),
      update(`${drivers}/{ns}`, driver({ spec: {} })),
      table(`${drivers}/{ns}`),
      remove(`${drivers}/{ns}`),
    ],
  }),
];

const node = of("storage.k8s.io/v1", "CSINode");
const nodeDriver = { name: "d", nodeID: "n", topologyKeys: ["k"] };
const nodeCases: Case[] = [
  ...createEach(nodes, {
    "csi node": node({ spec: { drivers: [{ ...nodeDriver, allocatable: { count: 3 } }] } }),
    "csi node without spec": node({}),
    "csi node odd": node({
      spec: {
        drivers: [
          { name: "", nodeID: "" },
          { name: "A_B", nodeID: "x".repeat(257), allocatable: { count: -1 } },
          { ...nodeDriver, topologyKeys: ["", "k", "k", "a b"] },
          nodeDriver,
        ],
      },
    }),
    "csi node bad name": node({ spec: { drivers: [] } }, { name: "A" }),
  }),
  ...afterCreate(nodes, node({ spec: { drivers: [nodeDriver] } }), {
    "csi node update": [
      merge(`${nodes}/{ns}`, { spec: { drivers: [{ ...nodeDriver, allocatable: { count: 4 } }] } }),
      merge(`${nodes}/{ns}`, { spec: { drivers: [{ ...nodeDriver, nodeID: "m" }] } }),
      merge(`${nodes}/{ns}`, { spec: { drivers: [] } }),
      table(`${nodes}/{ns}`),
      remove(`${nodes}/{ns}`),
    ],
    "csi node status": [
      merge(`${nodes}/{ns}/status`, {
        metadata: { labels: { a: "b" } },
        spec: { drivers: [] },
        status: { storageHealth: [{ name: "d" }] },
      }),
    ],
  }),
];

const capacity = of("storage.k8s.io/v1", "CSIStorageCapacity");
const capacityCases: Case[] = [
  ...createEach(capacities, {
    capacity: capacity({ storageClassName: "c", capacity: "1Gi", nodeTopology: selector }),
    "capacity empty": capacity({}),
    "capacity odd": capacity({
      storageClassName: "A",
      capacity: "-1",
      nodeTopology: { matchLabels: { "a b": "c d" } },
    }),
    "capacity warns": capacity({
      storageClassName: "c",
      nodeTopology: {
        matchLabels: { "beta.kubernetes.io/os": "x" },
        matchExpressions: [{ key: "beta.kubernetes.io/arch", operator: "Exists" }],
      },
    }),
  }),
  ...afterCreate(capacities, capacity({ storageClassName: "c", nodeTopology: selector }), {
    "capacity update": [
      merge(`${capacities}/{ns}`, { capacity: "5Gi" }),
      merge(`${capacities}/{ns}`, { storageClassName: "d", nodeTopology: {} }),
      table(capacities),
      remove(`${capacities}/{ns}`),
    ],
  }),
];

const attachment = of("storage.k8s.io/v1", "VolumeAttachment");
const attached = { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } };
const csi = { csi: { driver: "d", volumeHandle: "h" }, accessModes: ["ReadWriteOnce"] };
const attachmentCases: Case[] = [
  ...createEach(attachments, {
    attachment: attachment({ spec: attached }),
    "attachment without spec": attachment({}),
    "attachment odd": attachment({
      spec: { attacher: "A_B", nodeName: "N", source: { persistentVolumeName: "V" } },
    }),
    "attachment long driver": attachment({ spec: { ...attached, attacher: "a".repeat(64) } }),
    "attachment without volume name": attachment({
      spec: { ...attached, source: { persistentVolumeName: "" } },
    }),
    "attachment of both": attachment({
      spec: { ...attached, source: { persistentVolumeName: "v", inlineVolumeSpec: csi } },
    }),
    "attachment inline": attachment({
      spec: { ...attached, source: { inlineVolumeSpec: csi } },
    }),
    "attachment inline odd": attachment({
      spec: {
        ...attached,
        source: {
          inlineVolumeSpec: {
            claimRef: { name: "c" },
            capacity: { storage: "1Gi" },
            accessModes: ["Odd", "ReadWriteOnce", "ReadWriteOncePod"],
            persistentVolumeReclaimPolicy: "Delete",
            storageClassName: "s",
            volumeMode: "Block",
            hostPath: { path: "/" },
          },
        },
      },
    }),
  }),
  ...afterCreate(attachments, attachment({ spec: attached }), {
    "attachment update": [
      merge(`${attachments}/{ns}`, { metadata: { labels: { a: "b" } } }),
      merge(`${attachments}/{ns}`, { spec: { nodeName: "m" } }),
      merge(`${attachments}/{ns}`, { spec: { attacher: "" } }),
      merge(`${attachments}/{ns}`, { spec: { attacher: "A_".repeat(40) } }),
      update(`${attachments}/{ns}`, attachment({ spec: attached })),
    ],
    "attachment status": [
      merge(`${attachments}/{ns}/status`, {
        metadata: { labels: { c: "d" } },
        spec: { nodeName: "m" },
        status: { attached: true, attachmentMetadata: { a: "b" } },
      }),
      table(`${attachments}/{ns}`),
      merge(`${attachments}/{ns}/status`, {
        status: {
          attachError: { message: "x".repeat(1025), errorCode: -1 },
          attachmentMetadata: { a: "x".repeat(256 * 1024) },
        },
      }),
      remove(`${attachments}/{ns}`),
    ],
  }),
];

const removed = (path: string, object: object): Case => ({
  name: `${path.split("/").at(-1)} delete`,
  steps: [create(path, object), remove(`${path}/{ns}`), read(`${path}/{ns}`)],
});

/** Disruption budgets, runtime classes, priority classes, storage classes, and objects of CSI drivers. */
export const clusterSettings: Area = {
  name: "cluster-settings",
  cases: [
    ...budgetCases,
    ...runtimeCases,
    ...priorityCases,
    ...classCases,
    ...attributesCases,
    ...driverCases,
    ...nodeCases,
    ...capacityCases,
    ...attachmentCases,
    removed(runtimeClasses, runtimeClass({ handler: "h" })),
    removed(priorityClasses, priorityClass({ value: 1 })),
  ],
};
