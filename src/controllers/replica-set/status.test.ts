/** Cases: pkg/controller/replicaset/replica_set_utils_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { computeStatus, type ReplicaStatus, type StatusOptions } from "./status.ts";

const nowMs = 1_000_000_000_000;
const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "old" };

const owner = (replicas: number, minReadySeconds = 0, status: ReplicaStatus = {}) => ({
  metadata: { name: "web", generation: 4 },
  spec: {
    replicas,
    minReadySeconds,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web", tier: "front" } }, spec: { containers: [] } },
  },
  status: { replicas: 0, ...status },
});

const pod = (labels: Record<string, string>, readyForMs?: number): Pod => ({
  metadata: { labels },
  spec: { containers: [] },
  status: {
    conditions:
      readyForMs === undefined
        ? []
        : [{ type: "Ready", status: "True", lastTransitionTime: formatTime(nowMs - readyForMs) }],
  },
});

const full = { app: "web", tier: "front" };
const some = { app: "web" };

const cases: readonly {
  readonly name: string;
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly before?: ReplicaStatus;
  readonly pods: readonly Pod[];
  readonly options?: Partial<StatusOptions>;
  readonly status: ReplicaStatus;
}[] = [
  { name: "no Pods", pods: [], status: { replicas: 0, observedGeneration: 4 } },
  {
    name: "Pods with all labels of the template, and with some",
    pods: [pod(full), pod(some)],
    status: { replicas: 2, fullyLabeledReplicas: 1, observedGeneration: 4 },
  },
  {
    name: "Pods that are ready",
    pods: [pod(full, 1_000), pod(full)],
    status: {
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      observedGeneration: 4,
    },
  },
  {
    name: "Pods that are ready, but not for long enough",
    minReadySeconds: 3600,
    pods: [pod(full, 1_000), pod(full, 3_600_000)],
    status: {
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      observedGeneration: 4,
    },
  },
  {
    name: "terminating Pods",
    pods: [],
    options: { terminating: 2 },
    status: { replicas: 0, terminatingReplicas: 2, observedGeneration: 4 },
  },
  {
    name: "too few, because of a failure",
    pods: [],
    options: { failure: new Error("quota") },
    status: {
      replicas: 0,
      observedGeneration: 4,
      conditions: [{ ...failure, message: "quota", lastTransitionTime: formatTime(nowMs) }],
    },
  },
  {
    name: "too many, because of a failure",
    replicas: 0,
    pods: [pod(some)],
    options: { failure: new Error("forbidden") },
    status: {
      replicas: 1,
      observedGeneration: 4,
      conditions: [
        {
          ...failure,
          reason: "FailedDelete",
          message: "forbidden",
          lastTransitionTime: formatTime(nowMs),
        },
      ],
    },
  },
  {
    name: "a failure that was known",
    before: { conditions: [failure] },
    pods: [],
    options: { failure: new Error("new") },
    status: { replicas: 0, observedGeneration: 4, conditions: [failure] },
  },
  {
    name: "a failure that has ended",
    before: { conditions: [failure] },
    pods: [],
    status: { replicas: 0, observedGeneration: 4 },
  },
];

for (const { name, replicas = 2, minReadySeconds = 0, before, pods, options, status } of cases) {
  test(`computeStatus() of a ReplicaSet: ${name}`, () => {
    const given = { failure: undefined, terminating: undefined, nowMs, ...options };
    assert.deepEqual(computeStatus(owner(replicas, minReadySeconds, before), pods, given), status);
  });
}
