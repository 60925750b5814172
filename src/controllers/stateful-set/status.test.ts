/** Cases: pkg/controller/statefulset/stateful_set_control.go (updateStatus), stateful_set_utils_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { computeStatus } from "./status.ts";

const nowMs = 1_000_000_000_000;
const revision = (name: string): ControllerRevision => ({
  metadata: { name },
  revision: 1,
  data: {},
});

/** A Pod by letters: R(eady), r(unning), x (terminating), u(pdated). */
const pod = (text: string): Pod => ({
  metadata: {
    labels: { "controller-revision-hash": text.includes("u") ? "new" : "old" },
    ...(text.includes("x") ? { deletionTimestamp: formatTime(nowMs) } : {}),
  },
  spec: { containers: [] },
  status: {
    phase: "Running",
    conditions: text.includes("R")
      ? [{ type: "Ready", status: "True", lastTransitionTime: formatTime(nowMs - 5_000) }]
      : [],
  },
});

const cases: readonly {
  readonly name: string;
  readonly pods: string;
  readonly replicas: number;
  readonly minReadySeconds?: number;
  readonly status: Partial<StatefulSetStatus>;
}[] = [
  {
    name: "no Pods",
    pods: "",
    replicas: 2,
    status: { replicas: 0, availableReplicas: 0, currentRevision: "old" },
  },
  {
    name: "an update under way",
    pods: "R R Ru",
    replicas: 3,
    status: {
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: "old",
    },
  },
  {
    name: "a terminating Pod counts for no revision",
    pods: "R Rx",
    replicas: 2,
    status: {
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 1,
      currentRevision: "old",
    },
  },
  {
    name: "an update that is complete",
    pods: "Ru Ru",
    replicas: 2,
    status: {
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: "new",
    },
  },
  {
    name: "an update whose last Pod is not Ready",
    pods: "Ru ru",
    replicas: 2,
    status: {
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      updatedReplicas: 2,
      currentRevision: "old",
    },
  },
  {
    name: "Pods that have not been Ready for long enough",
    pods: "Ru Ru",
    replicas: 2,
    minReadySeconds: 10,
    status: {
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 0,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: "new",
    },
  },
];

for (const { name, pods, replicas, minReadySeconds = 0, status } of cases) {
  test(`computeStatus() of a StatefulSet: ${name}`, () => {
    const set: StatefulSet = {
      metadata: { name: "db", generation: 7 },
      spec: {
        replicas,
        minReadySeconds,
        serviceName: "db",
        selector: {},
        template: { metadata: {}, spec: { containers: [] } },
      },
    };
    const view = {
      set,
      pods: pods.split(" ").filter(Boolean).map(pod),
      current: revision("old"),
      update: revision("new"),
      nowMs,
      obeysMaxUnavailable: false,
    };
    assert.deepEqual(computeStatus(view, 1), {
      observedGeneration: 7,
      updateRevision: "new",
      collisionCount: 1,
      ...status,
    });
  });
}
