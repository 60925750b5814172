import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { capUpdates } from "./cap-updates.ts";
import { FieldSet } from "./field-set.ts";
import { keepTimes } from "./keep-times.ts";
import { type Manager, managerId } from "./managers.ts";
import { managedFieldsAfterScale, managedFieldsOfScale } from "./scale.ts";
import { updateManagedFields } from "./update-managed-fields.ts";
import type { ManagedKind } from "./versions.ts";

const schema = findSchema("", "v1", "Pod");
assert.ok(schema);
const kind: ManagedKind = { apiVersion: "v1", kind: "Pod", schema };
const now = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:00:01Z";

interface Pod extends JsonObject {
  readonly metadata: { readonly managedFields?: readonly JsonObject[] } & JsonObject;
}

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", uid: "u" },
  spec: { containers: [{ name: "a", image: "a:1" }] },
};
const write = (live: Pod | undefined, next: JsonObject, manager: string, at = now): Pod =>
  updateManagedFields({ kind, live, next, manager, now: at }) as Pod;

describe("updateManagedFields()", () => {
  test("recognizes fields of a created object that Go writes even when they are not set", () => {
    const { metadata } = write(
      undefined,
      { ...pod, status: { conditions: [{ type: "Ready" }] } },
      "c",
    );
    assert.deepEqual(metadata.managedFields?.[0]?.["fieldsV1"], {
      "f:spec": {
        "f:containers": {
          'k:{"name":"a"}': { ".": {}, "f:image": {}, "f:name": {}, "f:resources": {} },
        },
      },
      "f:status": {
        "f:conditions": {
          ".": {},
          'k:{"type":"Ready"}': {
            ".": {},
            "f:lastProbeTime": {},
            "f:lastTransitionTime": {},
            "f:status": {},
            "f:type": {},
          },
        },
      },
    });
  });

  test("gives the same result with and without explicit zero values", () => {
    const created = write(undefined, pod, "c");
    const spelled = {
      ...created,
      spec: { containers: [{ name: "a", image: "a:1", resources: {} }] },
      status: {},
    };
    assert.deepEqual(write(created, spelled, "u", later).metadata, created.metadata);
  });

  test("gives a name to a manager without one", () => {
    assert.equal(write(undefined, pod, "").metadata.managedFields?.[0]?.["manager"], "unknown");
  });

  test("shares the entries that do not change", () => {
    const created = write(undefined, pod, "c");
    const labelled = write(
      created,
      { ...created, metadata: { ...created.metadata, labels: { l: "1" } } },
      "l",
    );
    const [entry] = labelled.metadata.managedFields ?? [];
    assert.equal(entry?.["fieldsV1"], created.metadata.managedFields?.[0]?.["fieldsV1"]);
  });

  test("keeps the live object's entries where the new ones are invalid", () => {
    const created = write(undefined, pod, "c");
    const next = { ...created, spec: { containers: [null] } };
    const errors: unknown[] = [];
    const report = (error: unknown) => errors.push(error);
    const object = updateManagedFields({ kind, live: created, next, manager: "u", now, report });
    assert.equal((object as Pod).metadata.managedFields, created.metadata.managedFields);
    assert.match(String(errors[0]), /may not have a null element/);
  });

  test("does not track an object whose managers were reset", () => {
    const created = write(undefined, pod, "c");
    const reset = write(
      created,
      { ...created, metadata: { ...created.metadata, managedFields: [{}] } },
      "c",
    );
    assert.equal(reset.metadata.managedFields, undefined);
    const after = write(
      reset,
      { ...reset, metadata: { ...reset.metadata, labels: { l: "1" } } },
      "l",
    );
    assert.equal(after.metadata.managedFields, undefined);
  });
});

test("keepTimes() undoes a change of times alone", () => {
  const live = write(undefined, pod, "c");
  const entries = live.metadata.managedFields?.map((entry) => ({ ...entry, time: later }));
  const stamped = { ...live, metadata: { ...live.metadata, managedFields: entries } };
  assert.deepEqual(keepTimes(live, stamped), live);
  const changed = { ...stamped, spec: {} };
  assert.equal(keepTimes(live, changed), changed);
});

test("capUpdates() joins the oldest managers of a version", () => {
  const manager = (index: number, apiVersion: string): Manager => ({
    name: `u${index}`,
    operation: "Update",
    apiVersion,
    subresource: "",
    time: `2026-01-01T00:00:${String(index).padStart(2, "0")}Z`,
    set: FieldSet.of([`f:f${index}`]),
  });
  const many = Array.from({ length: 12 }, (_, index) => manager(index, index === 1 ? "v2" : "v1"));
  const capped = capUpdates(new Map(many.map((one) => [managerId(one), one])));
  assert.equal(capped.size, 10);
  const bucket = [...capped.values()].find(({ name }) => name === "ancient-changes");
  assert.deepEqual([...(bucket?.set.nodes.keys() ?? [])].sort(), ["f:f0", "f:f2", "f:f3"]);
  assert.equal(bucket?.time, many[3]?.time);
});

test("managedFieldsAfterScale() moves the replicas to the manager that scaled", () => {
  const mapping = {
    apiVersion: "apps/v1",
    replicasPaths: new Map([["apps/v1", ["spec", "replicas"]]]),
  };
  const entry = (manager: string, more: JsonObject, fieldsV1: JsonObject) => ({
    manager,
    operation: "Update",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  });
  const parent = [entry("a", { time: now }, { "f:spec": { "f:paused": {}, "f:replicas": {} } })];
  const scale = managedFieldsOfScale(parent, mapping);
  assert.deepEqual(scale, [
    {
      ...entry("a", { time: now }, { "f:spec": { "f:replicas": {} } }),
      apiVersion: "autoscaling/v1",
    },
  ]);
  assert.deepEqual(managedFieldsAfterScale(parent, scale, mapping), parent);
  const scaled = [
    {
      ...entry("s", { time: later, subresource: "scale" }, { "f:spec": { "f:replicas": {} } }),
      apiVersion: "autoscaling/v1",
    },
  ];
  assert.deepEqual(managedFieldsAfterScale(parent, scaled, mapping), [
    entry("s", { subresource: "scale" }, { "f:spec": { "f:replicas": {} } }),
    entry("a", { time: now }, { "f:spec": { "f:paused": {} } }),
  ]);
});
