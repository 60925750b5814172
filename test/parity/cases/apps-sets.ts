import type { Case } from "../case.ts";
import { base, labels, object, podSpec, spec, template } from "./apps-bodies.ts";
import { createEach } from "./create-each.ts";
import { create, jsonPatch, merge, read, strategic, update } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const daemonSets = `${base}/daemonsets`;

const revisions = `${base}/controllerrevisions`;
const statefulSets = `${base}/statefulsets`;

const daemonSet = (parts: object, metadata?: object): object =>
  object("DaemonSet", { spec: { ...spec, ...parts } }, metadata);

const statefulSet = (parts: object, metadata?: object): object =>
  object("StatefulSet", { spec: { ...spec, ...parts } }, metadata);

const claim = (parts: object): object => ({
  metadata: { name: "data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...parts,
  },
});

export const daemonSetCases: Case[] = [
  ...createEach(daemonSets, {
    "daemon set defaults": daemonSet({}),
    "daemon set without spec": object("DaemonSet", {}),
    "daemon set empty selector": daemonSet({ selector: {} }),
    "daemon set selector mismatch": daemonSet({ selector: { matchLabels: { app: "y" } } }),
    "daemon set bad selector": daemonSet({
      selector: { matchExpressions: [{ key: "app", operator: "In", values: ["a b"] }] },
    }),
    "daemon set unknown strategy": daemonSet({
      updateStrategy: { type: "Slow", rollingUpdate: { maxUnavailable: 2 } },
    }),
    "daemon set on delete": daemonSet({ updateStrategy: { type: "OnDelete" } }),
    "daemon set surge and unavailable": daemonSet({
      updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: "10%" } },
    }),
    "daemon set neither surge nor unavailable": daemonSet({
      updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
    }),
    "daemon set shares": daemonSet({
      updateStrategy: { rollingUpdate: { maxUnavailable: "150%", maxSurge: "-1" } },
    }),
    "daemon set negative numbers": daemonSet({ minReadySeconds: -1, revisionHistoryLimit: -1 }),
    "daemon set restart policy": daemonSet(
      podSpec({ restartPolicy: "Never", activeDeadlineSeconds: 3 }),
    ),
    "daemon set given generation": daemonSet(
      {},
      {
        annotations: { "deprecated.daemonset.template.generation": "7" },
      },
    ),
    "daemon set generation no number": daemonSet(
      {},
      {
        annotations: { "deprecated.daemonset.template.generation": "x" },
      },
    ),
    "daemon set generation too big": daemonSet(
      {},
      {
        annotations: { "deprecated.daemonset.template.generation": "99999999999999999999" },
      },
    ),
    "daemon set warnings": daemonSet(
      podSpec({ nodeSelector: { "beta.kubernetes.io/arch": "amd64" } }),
    ),
  }),
  ...afterCreate(daemonSets, daemonSet({}), {
    "daemon set update template": [
      strategic(`${daemonSets}/x`, {
        spec: { template: { spec: { containers: [{ name: "a", image: "a:2" }] } } },
      }),
      update(`${daemonSets}/x`, daemonSet({})),
    ],
    "daemon set update spec": [merge(`${daemonSets}/x`, { spec: { minReadySeconds: 5 } })],
    "daemon set update generation": [
      merge(`${daemonSets}/x`, {
        metadata: { annotations: { "deprecated.daemonset.template.generation": "12" } },
      }),
    ],
    "daemon set update selector": [
      merge(`${daemonSets}/x`, { spec: { selector: { matchLabels: { app: "z" } } } }),
    ],
    "daemon set status": [
      merge(`${daemonSets}/x/status`, {
        metadata: { annotations: { "deprecated.daemonset.template.generation": "12" } },
        spec: { minReadySeconds: 9 },
        status: {
          currentNumberScheduled: 1,
          desiredNumberScheduled: 2,
          numberReady: 1,
          updatedNumberScheduled: 1,
          numberAvailable: 1,
          collisionCount: 1,
        },
      }),
      table(daemonSets),
      merge(`${daemonSets}/x/status`, { status: { collisionCount: 0, numberReady: -1 } }),
    ],
    "daemon set status negative": [
      merge(`${daemonSets}/x/status`, {
        status: {
          currentNumberScheduled: -1,
          numberMisscheduled: -1,
          desiredNumberScheduled: -1,
          numberReady: -1,
          observedGeneration: -1,
          updatedNumberScheduled: -1,
          numberAvailable: -1,
          numberUnavailable: -1,
          collisionCount: -1,
        },
      }),
    ],
    "daemon set delete": [remove(`${daemonSets}/x`)],
  }),
  {
    name: "daemon set table with node selector",
    steps: [
      create(daemonSets, daemonSet(podSpec({ nodeSelector: { b: "2", a: "1" } }))),
      table(`${daemonSets}/x`),
    ],
  },
];

export const statefulSetCases: Case[] = [
  ...createEach(statefulSets, {
    "stateful set defaults": statefulSet({ serviceName: "s" }),
    "stateful set claims": statefulSet({
      volumeClaimTemplates: [claim({})],
      ...podSpec({
        hostname: "h",
        subdomain: "s",
        containers: [
          { name: "a", image: "a:1", volumeMounts: [{ name: "data", mountPath: "/data" }] },
        ],
      }),
    }),
    "stateful set bad claims": statefulSet({
      volumeClaimTemplates: [
        claim({ accessModes: [] }),
        claim({ resources: {}, volumeMode: "Odd" }),
      ],
    }),
    "stateful set mount of no claim": statefulSet(
      podSpec({
        containers: [
          { name: "a", image: "a:1", volumeMounts: [{ name: "data", mountPath: "/data" }] },
        ],
      }),
    ),
    "stateful set without spec": object("StatefulSet", {}),
    "stateful set empty selector": statefulSet({ selector: {} }),
    "stateful set bad selector": statefulSet({
      selector: { matchExpressions: [{ key: "app", operator: "In" }] },
    }),
    "stateful set selector mismatch": statefulSet({ selector: { matchLabels: { app: "y" } } }),
    "stateful set policies": statefulSet({
      podManagementPolicy: "Random",
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep", whenScaled: "Delete" },
    }),
    "stateful set unknown strategy": statefulSet({
      updateStrategy: { type: "Slow", rollingUpdate: { partition: 1 } },
    }),
    "stateful set recreate": statefulSet({ updateStrategy: { type: "Recreate" } }),
    "stateful set on delete with parameters": statefulSet({
      updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } },
    }),
    "stateful set rolling update without parameters": statefulSet({
      updateStrategy: { type: "RollingUpdate" },
    }),
    "stateful set partition": statefulSet({
      updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: "0%" } },
    }),
    "stateful set unavailable": statefulSet({
      updateStrategy: { rollingUpdate: { maxUnavailable: "120%" } },
    }),
    "stateful set unavailable text": statefulSet({
      updateStrategy: { rollingUpdate: { maxUnavailable: "many" } },
    }),
    "stateful set negative numbers": statefulSet({
      replicas: -1,
      minReadySeconds: -1,
      revisionHistoryLimit: -1,
      ordinals: { start: -1 },
    }),
    "stateful set negative history": statefulSet({ revisionHistoryLimit: -1 }),
    "stateful set service name": statefulSet({ serviceName: "Bad.Name" }),
    "stateful set name with dots": statefulSet({}, { name: "a.b" }),
    "stateful set restart policy": statefulSet(
      podSpec({ restartPolicy: "Never", activeDeadlineSeconds: 3 }),
    ),
    "stateful set bad template labels": statefulSet({
      template: {
        ...template,
        metadata: { labels: { ...labels, "a b": "c" }, annotations: { "d e": "f" } },
      },
    }),
    "stateful set fraction of a byte": statefulSet({
      volumeClaimTemplates: [claim({ resources: { requests: { storage: "1m" } } })],
    }),
  }),
  ...afterCreate(
    statefulSets,
    statefulSet({ serviceName: "s", volumeClaimTemplates: [claim({})] }),
    {
      "stateful set update": [
        merge(`${statefulSets}/x`, { spec: { replicas: 3, minReadySeconds: 4 } }),
      ],
      "stateful set update of what is fixed": [
        merge(`${statefulSets}/x`, {
          spec: {
            serviceName: "t",
            podManagementPolicy: "Parallel",
            selector: { matchLabels: { app: "z" } },
          },
        }),
      ],
      "stateful set update claims": [
        jsonPatch(`${statefulSets}/x`, [
          {
            op: "replace",
            path: "/spec/volumeClaimTemplates/0/spec/resources/requests/storage",
            value: "2Gi",
          },
        ]),
      ],
      "stateful set update template": [
        strategic(`${statefulSets}/x`, {
          spec: {
            revisionHistoryLimit: -1,
            template: { spec: { containers: [{ name: "a", image: "a:2" }] } },
          },
        }),
      ],
      "stateful set status": [
        merge(`${statefulSets}/x/status`, {
          spec: { replicas: 9 },
          status: {
            replicas: 2,
            readyReplicas: 2,
            availableReplicas: 1,
            currentRevision: "a",
            collisionCount: 1,
          },
        }),
        table(statefulSets),
        merge(`${statefulSets}/x/status`, {
          status: { replicas: 1, currentReplicas: 2, updatedReplicas: 3, collisionCount: null },
        }),
      ],
      "stateful set status negative": [
        merge(`${statefulSets}/x/status`, {
          status: {
            replicas: -1,
            readyReplicas: -1,
            currentReplicas: -1,
            updatedReplicas: -1,
            availableReplicas: -1,
            observedGeneration: -1,
            collisionCount: -1,
          },
        }),
      ],
      "stateful set scale": [
        merge(`${statefulSets}/x/scale`, { spec: { replicas: 2 } }),
        read(`${statefulSets}/x/scale`),
      ],
      "stateful set delete": [remove(`${statefulSets}/x`)],
    },
  ),
];

const revision = (parts: object, metadata?: object): object =>
  object("ControllerRevision", { data: { a: 1 }, revision: 1, ...parts }, metadata);

export const revisionCases: Case[] = [
  ...createEach(revisions, {
    "revision plain": revision({}),
    "revision without data": revision({ data: undefined }),
    "revision with null": revision({ data: null }),
    "revision with a list": revision({ data: [1] }),
    "revision with a number": revision({ data: 1 }),
    "revision negative": revision({ revision: -1 }),
    "revision bad name": revision({}, { name: "A B" }),
  }),
  ...afterCreate(revisions, revision({}), {
    "revision update": [
      merge(`${revisions}/x`, { revision: 2 }),
      merge(`${revisions}/x`, { data: { a: 2 } }),
      merge(`${revisions}/x`, { revision: -2 }),
    ],
  }),
  {
    name: "revision table",
    steps: [
      create(
        revisions,
        revision(
          {},
          {
            ownerReferences: [
              {
                apiVersion: "apps/v1",
                kind: "StatefulSet",
                name: "s",
                uid: "00000000-0000-4000-8000-000000000000",
                controller: true,
              },
            ],
          },
        ),
      ),
      table(revisions),
    ],
  },
];
