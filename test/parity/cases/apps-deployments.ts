import type { Case } from "../case.ts";
import { base, object, podSpec, spec } from "./apps-bodies.ts";
import { createEach } from "./create-each.ts";
import { apply, merge, read, strategic, update } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const deployments = `${base}/deployments`;

const replicaSets = `${base}/replicasets`;

const deployment = (parts: object, metadata?: object): object =>
  object("Deployment", { spec: { ...spec, ...parts } }, metadata);

const replicaSet = (parts: object, metadata?: object): object =>
  object("ReplicaSet", { spec: { ...spec, ...parts } }, metadata);

export const deploymentCases: Case[] = [
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

export const replicaSetCases: Case[] = [
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
