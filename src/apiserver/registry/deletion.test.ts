/**
 * Cases: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store_test.go (TestStoreDelete…),
 * rest/delete_test.go.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, pods } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { type DeleteOptions, type DeletionPlan, planDeletion } from "./deletion.ts";
import type { Declaration } from "./strategy.ts";

const nowMs = 1_000_000_000_000;
const at = (seconds: number): string => formatTime(nowMs + seconds * 1000);

const plain = { handle: configMaps } as unknown as Declaration;
const graceful = {
  handle: pods,
  gracePeriodSeconds: (_: unknown, asked: number | undefined) => asked ?? 30,
} as unknown as Declaration;
const orphaning = { handle: configMaps, garbageCollection: "orphan" } as unknown as Declaration;

const cases: readonly {
  readonly name: string;
  readonly declaration?: Declaration;
  readonly metadata?: ObjectMeta;
  readonly options?: DeleteOptions;
  readonly plan: DeletionPlan;
  readonly after?: ObjectMeta;
}[] = [
  { name: "removes an object without finalizers", plan: "remove" },
  {
    name: "keeps an object with a finalizer",
    metadata: { finalizers: ["mine"], generation: 1 },
    plan: "update",
    after: {
      finalizers: ["mine"],
      generation: 2,
      deletionTimestamp: at(0),
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    name: "waits for dependents in the foreground",
    options: { propagationPolicy: "Foreground" },
    plan: "update",
    after: {
      finalizers: ["foregroundDeletion"],
      deletionTimestamp: at(0),
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    name: "waits until dependents are orphaned",
    options: { propagationPolicy: "Orphan" },
    plan: "update",
    after: { finalizers: ["orphan"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
  {
    name: "orphans if orphanDependents is true",
    options: { orphanDependents: true },
    plan: "update",
    after: { finalizers: ["orphan"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
  {
    name: "orphans if that is the resource's default",
    declaration: orphaning,
    plan: "update",
    after: { finalizers: ["orphan"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
  {
    name: "replaces the policy of an earlier request",
    metadata: { finalizers: ["orphan"] },
    options: { propagationPolicy: "Foreground" },
    plan: "update",
    after: {
      finalizers: ["foregroundDeletion"],
      deletionTimestamp: at(0),
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    name: "removes in the background although orphaning was requested before",
    metadata: { finalizers: ["orphan"] },
    options: { propagationPolicy: "Background" },
    plan: "remove",
  },
  {
    name: "gives a Pod its grace period",
    declaration: graceful,
    metadata: { generation: 1 },
    plan: "update",
    after: { generation: 2, deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 },
  },
  {
    name: "gives a Pod the requested grace period",
    declaration: graceful,
    options: { gracePeriodSeconds: 5 },
    plan: "update",
    after: { deletionTimestamp: at(5), deletionGracePeriodSeconds: 5 },
  },
  {
    name: "treats a negative period as one second",
    declaration: graceful,
    options: { gracePeriodSeconds: -1 },
    plan: "update",
    after: { deletionTimestamp: at(1), deletionGracePeriodSeconds: 1 },
  },
  {
    name: "removes a Pod with a period of zero at once",
    declaration: graceful,
    options: { gracePeriodSeconds: 0 },
    plan: "remove",
  },
  {
    name: "leaves a Pod that is being deleted",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    plan: "pending",
  },
  {
    name: "does not extend a period",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 60 },
    plan: "pending",
  },
  {
    name: "shortens a period, counted from its start",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 15 },
    plan: "update",
    after: { deletionTimestamp: at(5), deletionGracePeriodSeconds: 15 },
  },
  {
    name: "leaves one second if the shorter period is over",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 5 },
    plan: "update",
    after: { deletionTimestamp: at(0), deletionGracePeriodSeconds: 1 },
  },
  {
    name: "removes a Pod that is being deleted if the period becomes zero",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 0 },
    plan: "remove",
  },
  {
    name: "keeps a Pod with a finalizer although the period is zero",
    declaration: graceful,
    metadata: { finalizers: ["mine"] },
    options: { gracePeriodSeconds: 0 },
    plan: "update",
    after: { finalizers: ["mine"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
];

for (const { name, declaration = plain, metadata = {}, options = {}, plan, after } of cases) {
  test(`planDeletion() ${name}`, () => {
    const object = { metadata: structuredClone(metadata) };
    assert.equal(planDeletion(declaration, object, options, nowMs), plan);
    if (plan === "update") assert.deepEqual(object.metadata, after);
  });
}

test("planDeletion() refuses a precondition on another uid or resourceVersion", () => {
  const object = { metadata: { name: "a", uid: "1", resourceVersion: "5" } };
  const refusal = (preconditions: DeleteOptions["preconditions"]) => () =>
    planDeletion(plain, object, preconditions ? { preconditions } : {}, nowMs);
  assert.throws(refusal({ uid: "2" }), {
    message:
      'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (2) does not match the UID in record (1). The object might have been deleted and then recreated',
  });
  assert.throws(refusal({ resourceVersion: "4" }), {
    message:
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (4) does not match the ResourceVersion in record (5). The object might have been modified',
  });
  assert.equal(refusal({ uid: "1", resourceVersion: "5" })(), "remove");
});
