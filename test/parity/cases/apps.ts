import type { Area, Case } from "../case.ts";
import { createEach } from "./create-each.ts";
import { apply, create, jsonPatch, merge, read, strategic, update } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const base = "/apis/apps/v1/namespaces/{ns}";
const deployments = `${base}/deployments`;
const replicaSets = `${base}/replicasets`;
const daemonSets = `${base}/daemonsets`;
const statefulSets = `${base}/statefulsets`;
const revisions = `${base}/controllerrevisions`;

const labels = { app: "x" };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: "a", image: "a:1" }] },
};
const spec = { selector: { matchLabels: labels }, template };
const object = (kind: string, parts: object, metadata: object = {}): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "x", ...metadata },
  ...parts,
});
const deployment = (parts: object, metadata?: object): object =>
  object("Deployment", { spec: { ...spec, ...parts } }, metadata);
const replicaSet = (parts: object, metadata?: object): object =>
  object("ReplicaSet", { spec: { ...spec, ...parts } }, metadata);
const daemonSet = (parts: object, metadata?: object): object =>
  object("DaemonSet", { spec: { ...spec, ...parts } }, metadata);
const statefulSet = (parts: object, metadata?: object): object =>
  object("StatefulSet", { spec: { ...spec, ...parts } }, metadata);
const podSpec = (parts: object): object => ({
  template: { ...template, spec: { ...template.spec, ...parts } },
});
const claim = (parts: object): object => ({
  metadata: { name: "data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...parts,
  },
});

const deploymentCases: Case[] = [
  ...createEach(deployments, {
    "deployment defaults": deployment({}),
    "deployment without spec": object("Deployment", {}),
    "deployment without selector": deployment({ selector: undefined }),
    "deployment empty selector": deployment({ selector: {} }),
    "deployment bad selector": deployment({
      selector: {
        matchLabels: { "bad key": "-x" },
        matchExpressions: [{ key: "app", operator: "Is", values: ["x"] }],
      },
    }),
    "deployment selector mismatch": deployment({ selector: { matchLabels: { app: "y" } } }),
    "deployment negative numbers": deployment({
      replicas: -1,
      minReadySeconds: -1,
      revisionHistoryLimit: -1,
      progressDeadlineSeconds: -5,
    }),
    "deployment deadline too soon": deployment({
      minReadySeconds: 30,
      progressDeadlineSeconds: 30,
    }),
    "deployment unknown strategy": deployment({
      strategy: { type: "Slow", rollingUpdate: { maxSurge: 1 } },
    }),
    "deployment unknown strategy without parameters": deployment({ strategy: { type: "Slow" } }),
    "deployment recreate with rolling update": deployment({
      strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } },
    }),
    "deployment recreate": deployment({ strategy: { type: "Recreate" } }),
    "deployment rolling update of nothing": deployment({
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } },
    }),
    "deployment rolling update of too much": deployment({
      strategy: { rollingUpdate: { maxSurge: "200%", maxUnavailable: "101%" } },
    }),
    "deployment rolling update of no numbers": deployment({
      strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: -1 } },
    }),
    "deployment restart policy": deployment(podSpec({ restartPolicy: "Never" })),
    "deployment active deadline": deployment(podSpec({ activeDeadlineSeconds: 5 })),
    "deployment without containers": deployment(podSpec({ containers: [] })),
    "deployment bad name": deployment({}, { name: "Bad_Name" }),
    "deployment name with dots": deployment({}, { name: "a.b" }),
    "deployment bad labels": deployment({}, { labels: { "a b": "c d" }, finalizers: ["x"] }),
    "deployment status ignored": object("Deployment", { spec, status: { replicas: 3 } }),
    "deployment rollback": deployment(
      {},
      {
        annotations: { "deprecated.deployment.rollback.to": "3" },
      },
    ),
    "deployment rollback to nowhere": deployment(
      {},
      {
        annotations: { "deprecated.deployment.rollback.to": "-1" },
      },
    ),
    "deployment rollback to no number": deployment(
      {},
      {
        annotations: { "deprecated.deployment.rollback.to": "x" },
      },
    ),
    "deployment warnings": deployment(
      podSpec({
        nodeSelector: { "beta.kubernetes.io/arch": "amd64" },
        containers: [
          { name: "a", image: "a:1", ports: [{ containerPort: 80 }, { containerPort: 80 }] },
        ],
      }),
    ),
  }),
  ...afterCreate(deployments, deployment({}), {
    "deployment update replicas": [merge(`${deployments}/x`, { spec: { replicas: 3 } })],
    "deployment update labels only": [
      merge(`${deployments}/x`, { metadata: { labels: { a: "b" } } }),
    ],
    "deployment update nothing": [update(`${deployments}/x`, deployment({}))],
    "deployment update with empty parts": [
      update(`${deployments}/x`, deployment(podSpec({ nodeSelector: {}, tolerations: [] }))),
    ],
    "deployment update selector": [
      merge(`${deployments}/x`, {
        spec: {
          selector: { matchLabels: { app: "y" } },
          template: { metadata: { labels: { app: "y" } } },
        },
      }),
    ],
    "deployment update to invalid": [
      strategic(`${deployments}/x`, {
        spec: { replicas: -1, template: { spec: { containers: [{ name: "a", image: "" }] } } },
      }),
    ],
    "deployment update warnings": [
      merge(`${deployments}/x`, {
        spec: { template: { spec: { nodeSelector: { "beta.kubernetes.io/os": "linux" } } } },
      }),
      merge(`${deployments}/x`, { metadata: { labels: { a: "b" } } }),
    ],
    "deployment status": [
      merge(`${deployments}/x/status`, {
        metadata: { labels: { a: "b" }, annotations: { c: "d" } },
        spec: { replicas: 9 },
        status: { replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
      }),
      read(`${deployments}/x`),
      read(`${deployments}/x/status`),
      table(`${deployments}`),
    ],
    "deployment status too many": [
      merge(`${deployments}/x/status`, {
        status: { replicas: 1, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 4 },
      }),
    ],
    "deployment status negative": [
      merge(`${deployments}/x/status`, {
        status: {
          observedGeneration: -1,
          replicas: -1,
          updatedReplicas: -1,
          readyReplicas: -1,
          availableReplicas: -1,
          unavailableReplicas: -1,
          terminatingReplicas: -1,
          collisionCount: -1,
        },
      }),
    ],
    "deployment collisions": [
      merge(`${deployments}/x/status`, { status: { collisionCount: 2 } }),
      merge(`${deployments}/x/status`, { status: { collisionCount: 1 } }),
      merge(`${deployments}/x/status`, { status: { collisionCount: null } }),
    ],
    "deployment scale": [
      read(`${deployments}/x/scale`),
      merge(`${deployments}/x/scale`, { spec: { replicas: 4 } }),
      merge(`${deployments}/x/scale`, { spec: { replicas: -4 } }),
      read(`${deployments}/x`),
    ],
    "deployment delete": [remove(`${deployments}/x`), read(`${deployments}/x`)],
    "deployment delete and orphan": [
      remove(`${deployments}/x?propagationPolicy=Orphan`),
      read(`${deployments}/x`),
    ],
    "deployment delete in foreground": [
      remove(`${deployments}/x?propagationPolicy=Foreground`),
      read(`${deployments}/x`),
    ],
    "deployment field selector": [
      read(`${deployments}?fieldSelector=spec.replicas%3D1`),
      read(`${deployments}?fieldSelector=metadata.name%3Dy`),
    ],
    "deployment rollback and status": [
      merge(`${deployments}/x`, {
        metadata: { annotations: { "deprecated.deployment.rollback.to": "007" } },
      }),
      merge(`${deployments}/x/status`, {
        metadata: { annotations: { "deprecated.deployment.rollback.to": null } },
        status: { replicas: 1 },
      }),
    ],
  }),
  {
    name: "deployment apply and status apply",
    steps: [
      apply(`${deployments}/x`, deployment({}), { manager: "a" }),
      apply(
        `${deployments}/x/status`,
        object("Deployment", { spec: { replicas: 7 }, status: { replicas: 2 } }),
        { manager: "b" },
      ),
    ],
  },
  { name: "deployment table when empty", steps: [table(deployments)] },
];

const replicaSetCases: Case[] = [
  ...createEach(replicaSets, {
    "replica set defaults": replicaSet({}),
    "replica set without spec": object("ReplicaSet", {}),
    "replica set without template": replicaSet({ template: undefined }),
    "replica set empty selector": replicaSet({ selector: {} }),
    "replica set negative numbers": replicaSet({ replicas: -1, minReadySeconds: -2 }),
    "replica set selector mismatch": replicaSet({
      selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["x"] }] },
    }),
    "replica set unknown operator": replicaSet({
      selector: { matchExpressions: [{ key: "app", operator: "Like", values: ["x"] }] },
    }),
    "replica set restart policy": replicaSet(
      podSpec({ restartPolicy: "OnFailure", activeDeadlineSeconds: 1 }),
    ),
    "replica set name": replicaSet({}, { name: "a.b" }),
    "replica set status ignored": object("ReplicaSet", { spec, status: { replicas: 3 } }),
  }),
  ...afterCreate(replicaSets, replicaSet({}), {
    "replica set update": [
      merge(`${replicaSets}/x`, { spec: { replicas: 2 } }),
      merge(`${replicaSets}/x`, { spec: { selector: { matchLabels: { app: "z" } } } }),
    ],
    "replica set status": [
      merge(`${replicaSets}/x/status`, {
        metadata: { labels: { a: "b" } },
        spec: { replicas: 9 },
        status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
      }),
      table(replicaSets),
      merge(`${replicaSets}/x/status`, { status: { replicas: 0 } }),
    ],
    "replica set status negative": [
      merge(`${replicaSets}/x/status`, {
        status: {
          replicas: -1,
          fullyLabeledReplicas: -1,
          readyReplicas: -1,
          availableReplicas: -1,
          observedGeneration: -1,
          terminatingReplicas: -1,
        },
      }),
    ],
    "replica set scale": [
      merge(`${replicaSets}/x/scale`, { spec: { replicas: 5 } }),
      read(`${replicaSets}/x/scale`),
    ],
    "replica set field selector": [read(`${replicaSets}?fieldSelector=status.replicas%3D0`)],
    "replica set delete": [remove(`${replicaSets}/x`)],
  }),
];

const daemonSetCases: Case[] = [
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

const statefulSetCases: Case[] = [
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

const revisionCases: Case[] = [
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

/** Deployments, replica sets, daemon sets, stateful sets and controller revisions. */
export const apps: Area = {
  name: "apps",
  cases: [
    ...deploymentCases,
    ...replicaSetCases,
    ...daemonSetCases,
    ...statefulSetCases,
    ...revisionCases,
  ],
};
