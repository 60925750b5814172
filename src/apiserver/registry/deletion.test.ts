/** Cases: apiserver/pkg/registry/generic/registry/store_test.go (TestStoreDelete…), rest/delete_test.go. */
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
  { name: "removes what nothing holds", plan: "remove" },
  {
    name: "keeps what has a finalizer",
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
    name: "orphans by the old option",
    options: { orphanDependents: true },
    plan: "update",
    after: { finalizers: ["orphan"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
  {
    name: "orphans by default where that is the resource's",
    declaration: orphaning,
    plan: "update",
    after: { finalizers: ["orphan"], deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 },
  },
  {
    name: "puts another policy in place of the one before",
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
    name: "removes in the background what was to be orphaned",
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
    name: "gives a Pod the period asked for",
    declaration: graceful,
    options: { gracePeriodSeconds: 5 },
    plan: "update",
    after: { deletionTimestamp: at(5), deletionGracePeriodSeconds: 5 },
  },
  {
    name: "takes a negative period for a second",
    declaration: graceful,
    options: { gracePeriodSeconds: -1 },
    plan: "update",
    after: { deletionTimestamp: at(1), deletionGracePeriodSeconds: 1 },
  },
  {
    name: "removes a Pod without a period at once",
    declaration: graceful,
    options: { gracePeriodSeconds: 0 },
    plan: "remove",
  },
  {
    name: "leaves a Pod that is going",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    plan: "pending",
  },
  {
    name: "does not make a period longer",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 60 },
    plan: "pending",
  },
  {
    name: "makes a period shorter, counted from its beginning",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 15 },
    plan: "update",
    after: { deletionTimestamp: at(5), deletionGracePeriodSeconds: 15 },
  },
  {
    name: "leaves a second where the shorter period is over",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 5 },
    plan: "update",
    after: { deletionTimestamp: at(0), deletionGracePeriodSeconds: 1 },
  },
  {
    name: "removes a Pod that is going when it is to wait no longer",
    declaration: graceful,
    metadata: { deletionTimestamp: at(20), deletionGracePeriodSeconds: 30 },
    options: { gracePeriodSeconds: 0 },
    plan: "remove",
  },
  {
    name: "keeps a Pod with a finalizer although it is to wait no longer",
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

test("planDeletion() refuses another uid and another version", () => {
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
