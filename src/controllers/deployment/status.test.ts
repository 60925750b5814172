/** Cases: pkg/controller/deployment/{sync,progress}_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, DeploymentStatus, ReplicaSet } from "#/api/apps/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { computeRolloutStatus, computeStatus } from "./status.ts";

const nowMs = 1_000_000_000_000;
const now = formatTime(nowMs);

function deployment(replicas: number, status: DeploymentStatus = {}): Deployment {
  return {
    metadata: { name: "web", generation: 2 },
    spec: {
      replicas,
      selector: {},
      template: { metadata: {}, spec: { containers: [] } },
      progressDeadlineSeconds: 60,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    },
    status,
  };
}

/** A ReplicaSet of this size, with its numbers of existing, ready and available Pods. */
const set = (
  name: string,
  size: number,
  replicas: number,
  ready: number,
  available: number,
): ReplicaSet => ({
  metadata: { name },
  spec: { replicas: size, selector: {} },
  status: { replicas, readyReplicas: ready, availableReplicas: available },
});

const shared = { nowMs, reportsTerminating: false };

const numberCases = [
  {
    name: "there are no ReplicaSets",
    desired: 3,
    newSet: undefined,
    oldSets: [],
    numbers: { observedGeneration: 2 },
    isAvailable: "False",
  },
  {
    name: "all Pods are available",
    desired: 3,
    newSet: set("v2", 3, 3, 3, 3),
    oldSets: [],
    numbers: {
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    },
    isAvailable: "True",
  },
  {
    name: "a rollout is under way",
    desired: 3,
    newSet: set("v2", 2, 2, 1, 0),
    oldSets: [set("v1", 2, 2, 2, 2)],
    numbers: {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 2,
    },
    isAvailable: "True",
  },
  {
    name: "a set has more available Pods than its size",
    desired: 1,
    newSet: set("v2", 1, 3, 3, 3),
    oldSets: [],
    numbers: {
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    },
    isAvailable: "True",
  },
] as const;

for (const { name, desired, newSet, oldSets, numbers, isAvailable } of numberCases) {
  test(`computeStatus() when ${name}`, () => {
    const input = { ...shared, deployment: deployment(desired), newSet, oldSets };
    const { conditions, ...rest } = computeStatus(input);
    assert.deepEqual(rest, numbers);
    assert.deepEqual(
      conditions?.map(({ type, status, lastUpdateTime }) => ({ type, status, lastUpdateTime })),
      [{ type: "Available", status: isAvailable, lastUpdateTime: now }],
    );
  });
}

test("computeStatus() counts terminating Pods only if every set reports them", () => {
  const reporting = (terminatingReplicas?: number): ReplicaSet => ({
    metadata: { name: "v1" },
    spec: { replicas: 1, selector: {} },
    status: {
      replicas: 1,
      observedGeneration: 1,
      ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    },
  });
  const input = {
    ...shared,
    reportsTerminating: true,
    deployment: deployment(1),
    newSet: reporting(2),
  };
  assert.equal(computeStatus({ ...input, oldSets: [reporting(3)] }).terminatingReplicas, 5);
  assert.equal(computeStatus({ ...input, oldSets: [reporting()] }).terminatingReplicas, undefined);
});

/** The previous condition Progressing: reason, and age in seconds. */
const progressing = (reason: string, ageSeconds: number, status = "True"): DeploymentStatus => {
  const time = formatTime(nowMs - ageSeconds * 1000);
  const condition = { type: "Progressing", status, reason, message: "" };
  return { conditions: [{ ...condition, lastUpdateTime: time, lastTransitionTime: time }] };
};

const progressCases: readonly {
  readonly name: string;
  readonly before: DeploymentStatus;
  readonly newSet: ReplicaSet;
  readonly reason: string;
  readonly updatedSecondsAgo: number;
}[] = [
  {
    name: "is complete",
    before: progressing("ReplicaSetUpdated", 10),
    newSet: set("v2", 2, 2, 2, 2),
    reason: "NewReplicaSetAvailable",
    updatedSecondsAgo: 0,
  },
  {
    name: "has made progress",
    before: progressing("ReplicaSetUpdated", 10),
    newSet: set("v2", 2, 1, 1, 1),
    reason: "ReplicaSetUpdated",
    updatedSecondsAgo: 0,
  },
  {
    name: "makes no progress, but has time left",
    before: { ...progressing("ReplicaSetUpdated", 60), updatedReplicas: 1, replicas: 1 },
    newSet: set("v2", 2, 1, 0, 0),
    reason: "ReplicaSetUpdated",
    updatedSecondsAgo: 60,
  },
  {
    name: "has made no progress for longer than its deadline",
    before: { ...progressing("ReplicaSetUpdated", 61), updatedReplicas: 1, replicas: 1 },
    newSet: set("v2", 2, 1, 0, 0),
    reason: "ProgressDeadlineExceeded",
    updatedSecondsAgo: 0,
  },
  {
    name: "was complete, and loses a Pod later",
    before: { ...progressing("NewReplicaSetAvailable", 900), updatedReplicas: 2, replicas: 2 },
    newSet: set("v2", 2, 2, 1, 1),
    reason: "NewReplicaSetAvailable",
    updatedSecondsAgo: 900,
  },
];

for (const { name, before, newSet, reason, updatedSecondsAgo } of progressCases) {
  test(`computeRolloutStatus() of a rollout that ${name}`, () => {
    const input = { ...shared, deployment: deployment(2, before), newSet, oldSets: [] };
    const found = computeRolloutStatus(input).conditions?.find(
      ({ type }) => type === "Progressing",
    );
    assert.deepEqual(
      { reason: found?.reason, updated: found?.lastUpdateTime },
      { reason, updated: formatTime(nowMs - updatedSecondsAgo * 1000) },
    );
  });
}

test("computeRolloutStatus() repeats the condition ReplicaFailure", () => {
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "quota",
  };
  const newSet: ReplicaSet = {
    ...set("v2", 2, 0, 0, 0),
    status: { replicas: 0, conditions: [{ ...failure, lastTransitionTime: now }] },
  };
  const input = { ...shared, deployment: deployment(2), newSet, oldSets: [] };
  const found = computeRolloutStatus(input).conditions?.find(({ type }) => type === failure.type);
  assert.deepEqual(found, { ...failure, lastUpdateTime: now, lastTransitionTime: now });
});
