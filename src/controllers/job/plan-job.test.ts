/** Cases: pkg/controller/job/job_controller_test.go (TestControllerSyncJob, TestGetPodsToDelete…). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, JobSpec } from "#/api/batch/v1.ts";
import type { Pod, PodPhase } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { viewJob } from "./job-view.ts";
import { planJob } from "./plan-job.ts";

const nowMs = 1_000_000_000_000;
const indexKey = "batch.kubernetes.io/job-completion-index";

function job(spec: Partial<JobSpec>): Job {
  return {
    metadata: { name: "work", namespace: "default", uid: "job" },
    spec: {
      completionMode: "NonIndexed",
      template: { metadata: { labels: { app: "work" } }, spec: { containers: [{ name: "main" }] } },
      ...spec,
    },
  };
}

let count = 0;

interface PodFacts {
  readonly index?: number | string;
  readonly isBeingDeleted?: boolean;
  readonly failures?: number;
  readonly finishedMs?: number;
}

function pod(phase: PodPhase, { index, isBeingDeleted, failures, finishedMs }: PodFacts = {}): Pod {
  const name = `pod-${++count}`;
  return {
    metadata: {
      name,
      uid: name,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ...(isBeingDeleted ? { deletionTimestamp: formatTime(nowMs) } : {}),
      annotations: {
        ...(index === undefined ? {} : { [indexKey]: `${index}` }),
        ...(failures === undefined
          ? {}
          : { "batch.kubernetes.io/job-index-failure-count": `${failures}` }),
      },
    },
    spec: { containers: [{ name: "main" }] },
    status: {
      phase,
      ...(finishedMs === undefined
        ? {}
        : {
            containerStatuses: [
              {
                name: "main",
                image: "",
                imageID: "",
                ready: false,
                restartCount: 0,
                state: { terminated: { exitCode: 1, finishedAt: formatTime(finishedMs) } },
              },
            ],
          }),
    },
  };
}

const many = (phase: PodPhase, number: number, facts: PodFacts = {}): Pod[] =>
  Array.from({ length: number }, () => pod(phase, facts));

interface Counts {
  readonly active?: number;
  readonly pending?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
}

const countCases: readonly {
  readonly name: string;
  readonly spec: Partial<JobSpec>;
  readonly pods?: Counts;
  readonly failures?: number;
  readonly creates?: number;
  readonly removes?: number;
  readonly waitsMs?: number;
}[] = [
  { name: "starts with its parallelism", spec: { parallelism: 2, completions: 5 }, creates: 2 },
  { name: "of a work queue starts with its parallelism", spec: { parallelism: 2 }, creates: 2 },
  {
    name: "counts Pods that have not started",
    spec: { parallelism: 2, completions: 5 },
    pods: { pending: 2 },
  },
  {
    name: "with enough Pods does nothing",
    spec: { parallelism: 3, completions: 5 },
    pods: { active: 3 },
  },
  {
    name: "replaces a Pod that succeeded",
    spec: { parallelism: 2, completions: 5 },
    pods: { active: 1, succeeded: 1 },
    creates: 1,
  },
  {
    name: "replaces a Pod that failed",
    spec: { parallelism: 2, completions: 5 },
    pods: { active: 1, failed: 1 },
    creates: 1,
  },
  {
    name: "of a work queue lacks a Pod",
    spec: { parallelism: 2 },
    pods: { active: 1 },
    creates: 1,
  },
  {
    name: "of a work queue creates none once one has succeeded",
    spec: { parallelism: 2 },
    pods: { active: 1, succeeded: 1 },
  },
  {
    name: "of a work queue keeps running Pods once one has succeeded",
    spec: { parallelism: 2 },
    pods: { active: 3, succeeded: 1 },
  },
  {
    name: "has too many Pods",
    spec: { parallelism: 2, completions: 5 },
    pods: { active: 3 },
    removes: 1,
  },
  {
    name: "needs fewer Pods near its end",
    spec: { parallelism: 2, completions: 5 },
    pods: { succeeded: 4 },
    creates: 1,
  },
  {
    name: "has more Pods than work",
    spec: { parallelism: 2, completions: 5 },
    pods: { active: 2, succeeded: 4 },
    removes: 1,
  },
  {
    name: "is finished",
    spec: { parallelism: 2, completions: 5 },
    pods: { succeeded: 5 },
  },
  {
    name: "replaces terminating Pods, by default",
    spec: { parallelism: 2, completions: 2 },
    pods: { active: 1, terminating: 1 },
    creates: 1,
  },
  {
    name: "waits for terminating Pods, if its policy is Failed",
    spec: { parallelism: 2, completions: 2, podReplacementPolicy: "Failed" },
    pods: { active: 1, terminating: 1 },
  },
  {
    name: "has more terminating Pods than its parallelism",
    spec: { parallelism: 1, completions: 1, podReplacementPolicy: "Failed" },
    pods: { active: 2, terminating: 4 },
    removes: 1,
  },
  {
    name: "waits after a failure",
    spec: { parallelism: 1, completions: 1 },
    failures: 1,
    waitsMs: 10_000,
  },
  {
    name: "waits longer after three failures",
    spec: { parallelism: 1, completions: 1 },
    failures: 3,
    waitsMs: 40_000,
  },
  {
    name: "waits ten minutes at most",
    spec: { parallelism: 1, completions: 1 },
    failures: 30,
    waitsMs: 600_000,
  },
  {
    name: "waits after a failure while other Pods run",
    spec: { parallelism: 2, completions: 2 },
    pods: { active: 1 },
    failures: 1,
    waitsMs: 10_000,
  },
  {
    name: "removes all Pods while it is suspended",
    spec: { parallelism: 2, completions: 4, suspend: true },
    pods: { active: 2 },
    removes: 2,
  },
  {
    name: "of parallelism 0 removes its Pods",
    spec: { parallelism: 0 },
    pods: { active: 2 },
    removes: 2,
  },
  {
    name: "creates at most 500 Pods at once",
    spec: { parallelism: 2000, completions: 2000 },
    creates: 500,
  },
];

for (const { name, spec, pods = {}, failures = 0, ...expected } of countCases) {
  test(`planJob() of a Job that ${name}`, () => {
    const view = viewJob(job(spec), [
      ...many("Running", pods.active ?? 0),
      ...many("Pending", pods.pending ?? 0),
      ...many("Succeeded", pods.succeeded ?? 0),
      ...many("Failed", pods.failed ?? 0),
      ...many("Running", pods.terminating ?? 0, { isBeingDeleted: true }),
    ]);
    const plan = planJob(view, { failures, lastFailureMs: nowMs }, nowMs);
    assert.deepEqual(
      { creates: plan.create.length, removes: plan.remove.length, waitsMs: plan.afterMs },
      {
        creates: expected.creates ?? 0,
        removes: expected.removes ?? 0,
        waitsMs: expected.waitsMs,
      },
    );
  });
}

const indexCases: readonly {
  readonly name: string;
  readonly spec: Partial<JobSpec>;
  readonly pods?: readonly (readonly [phase: PodPhase, facts: PodFacts])[];
  readonly completed?: string;
  readonly creates?: readonly number[];
  readonly removes?: readonly number[];
  readonly waitsMs?: number;
}[] = [
  {
    name: "starts with the lowest indexes",
    spec: { parallelism: 2, completions: 5 },
    creates: [0, 1],
  },
  {
    name: "skips completed and running indexes",
    spec: { parallelism: 3, completions: 6 },
    pods: [
      ["Succeeded", { index: 0 }],
      ["Running", { index: 1 }],
      ["Succeeded", { index: 3 }],
    ],
    creates: [2, 4],
  },
  {
    name: "skips indexes that are complete in the status",
    spec: { parallelism: 3, completions: 6 },
    completed: "0-2,4",
    creates: [3, 5],
  },
  {
    name: "repeats a failed index",
    spec: { parallelism: 2, completions: 2 },
    pods: [
      ["Failed", { index: 0 }],
      ["Running", { index: 1 }],
    ],
    creates: [0],
  },
  {
    name: "deletes duplicates and Pods without a valid index",
    spec: { parallelism: 3, completions: 3 },
    pods: [
      ["Running", { index: 0 }],
      ["Running", { index: 0 }],
      ["Running", { index: 7 }],
      ["Running", {}],
    ],
    removes: [2, 3, 0],
  },
  {
    name: "has a back-off for each index",
    spec: { parallelism: 2, completions: 2, backoffLimitPerIndex: 3 },
    pods: [["Failed", { index: 0, failures: 0, finishedMs: nowMs - 4_000 }]],
    creates: [1],
  },
  {
    name: "waits until the first index may run again",
    spec: { parallelism: 1, completions: 1, backoffLimitPerIndex: 3 },
    pods: [["Failed", { index: 0, failures: 1, finishedMs: nowMs - 4_000 }]],
    waitsMs: 16_000,
  },
  {
    name: "stops an index that has failed too often",
    spec: { parallelism: 2, completions: 2, backoffLimitPerIndex: 1 },
    pods: [["Failed", { index: 0, failures: 1, finishedMs: nowMs - 90_000 }]],
    creates: [1],
  },
];

for (const { name, spec, pods: facts = [], completed, ...expected } of indexCases) {
  test(`planJob() of an indexed Job ${name}`, () => {
    const pods = facts.map(([phase, one]) => pod(phase, one));
    const status = completed === undefined ? {} : { completedIndexes: completed };
    const object = { ...job({ completionMode: "Indexed", ...spec }), status };
    const plan = planJob(viewJob(object, pods), { failures: 0, lastFailureMs: 0 }, nowMs);
    const created = plan.create.map(({ metadata }) => Number(metadata.annotations?.[indexKey]));
    assert.deepEqual(created, expected.creates ?? []);
    assert.deepEqual(
      plan.remove.map((one) => pods.indexOf(one)).sort(),
      [...(expected.removes ?? [])].sort(),
    );
    assert.equal(plan.afterMs, expected.waitsMs);
  });
}

test("planJob() gives a Pod of an index its name, its number and its finalizer", () => {
  const object = job({ completionMode: "Indexed", parallelism: 1, completions: 1 });
  const [made] = planJob(viewJob(object, []), { failures: 0, lastFailureMs: 0 }, nowMs).create;
  const { generateName, labels, finalizers } = made?.metadata ?? {};
  assert.deepEqual(
    { generateName, labels, finalizers, hostname: made?.spec?.hostname },
    {
      generateName: "work-0-",
      labels: { app: "work", [indexKey]: "0" },
      finalizers: ["batch.kubernetes.io/job-tracking"],
      hostname: "work-0",
    },
  );
  assert.deepEqual(made?.spec?.containers[0]?.env, [
    {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } },
    },
  ]);
});
