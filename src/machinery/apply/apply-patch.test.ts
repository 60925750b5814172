import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Field, Schema } from "#/api/base/schema.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { ApplyError, applyPatch } from "./apply-patch.ts";
import { updateManagedFields } from "./update-managed-fields.ts";
import type { ManagedKind } from "./versions.ts";

const text: Schema = { type: "string" };
const map = (values: Schema, mapType: "granular" | "atomic" = "granular"): Schema => ({
  type: "map",
  values,
  mapType,
});
const struct = (fields: Record<string, Schema>): Schema => ({
  type: "struct",
  unstructured: true,
  fields: new Map(Object.entries(fields).map(([name, schema]) => [name, field(name, schema)])),
  mapType: "granular",
});
const field = (name: string, schema: Schema): Field => ({
  name,
  schema,
  required: false,
  omit: "empty",
  pointer: true,
});

const item = struct({ name: text, value: text });
const schema = struct({
  apiVersion: text,
  kind: text,
  metadata: struct({ name: text, uid: text, labels: map(text) }),
  spec: struct({
    text,
    granular: map(text),
    atomic: map(text, "atomic"),
    set: { type: "list", items: text, listType: "set" },
    items: { type: "list", items: item, listType: "map", keys: ["name"] },
    any: { type: "any" },
  }),
});
const kind: ManagedKind = { apiVersion: "v1", kind: "Thing", schema };
const now = "2026-01-01T00:00:00Z";

const thing = (spec: unknown): JsonObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "t" },
  spec: spec as JsonObject,
});

interface Options {
  readonly manager?: string;
  readonly force?: boolean;
  readonly now?: string;
}

/** Applies a spec and gives the object; fails on conflict. */
function apply(
  live: JsonObject | undefined,
  spec: unknown,
  { manager = "m", force = false, now: at = now }: Options = {},
): JsonObject {
  const result = applyPatch({ kind, live, patch: thing(spec), manager, force, now: at });
  assert.equal(result.conflict, undefined);
  assert.ok(result.object);
  return result.object;
}

/** The field paths of each manager, in short form. */
function managers(object: JsonObject): Record<string, unknown> {
  const { managedFields = [] } = object["metadata"] as {
    managedFields?: Record<string, unknown>[];
  };
  return Object.fromEntries(
    managedFields.map((entry) => [
      `${entry["manager"]} ${entry["operation"]}`,
      (entry["fieldsV1"] as Record<string, unknown>)["f:spec"],
    ]),
  );
}

describe("applyPatch()", () => {
  test("removes fields that the manager no longer applies and no other manager owns", () => {
    const first = apply(undefined, { text: "1", granular: { a: "1", b: "2" } });
    const shared = apply(first, { granular: { b: "2" } }, { manager: "other" });
    const after = apply(shared, { text: "1" });
    assert.deepEqual(after["spec"], { text: "1", granular: { b: "2" } });
    assert.deepEqual(managers(after), {
      "m Apply": { "f:text": {} },
      "other Apply": { "f:granular": { "f:b": {} } },
    });
  });

  test("keeps the time of a manager that changes nothing", () => {
    const first = apply(undefined, { text: "1" });
    const again = apply(first, { text: "1" }, { now: "2027-01-01T00:00:00Z" });
    assert.deepEqual(again, first);
  });

  test("does not change its input", () => {
    const live = apply(undefined, { items: [{ name: "a", value: "1" }], any: { x: [1] } });
    const before = structuredClone(live);
    apply(live, { items: [{ name: "b" }], any: { x: [2] } });
    assert.deepEqual(live, before);
  });

  test("refuses a configuration that is too deep", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 20_000; depth++) deep = { a: deep };
    assert.throws(() => apply(undefined, { any: deep }), new ApplyError(400, "exceeded max depth"));
  });

  test("treats prototype keys as data", () => {
    const object = apply(undefined, JSON.parse('{"granular":{"__proto__":"1","constructor":"2"}}'));
    assert.equal(
      JSON.stringify(object["spec"]),
      '{"granular":{"__proto__":"1","constructor":"2"}}',
    );
    assert.deepEqual(managers(object), {
      "m Apply": { "f:granular": { "f:__proto__": {}, "f:constructor": {} } },
    });
    const without = apply(object, { granular: { constructor: "2" } });
    assert.equal(JSON.stringify(without["spec"]), '{"granular":{"constructor":"2"}}');
  });

  test("refuses an object of another type", () => {
    const patch = { apiVersion: "apps/v1", kind: "Thing" };
    const run = () => applyPatch({ kind, live: undefined, patch, manager: "m", force: false, now });
    assert.throws(run, new ApplyError(400, "invalid object type: apps/v1, Kind=Thing"));
  });

  test("rejects managedFields it cannot read", () => {
    const live = {
      ...thing({}),
      metadata: { name: "t", uid: "u", managedFields: [{ operation: "X" }] },
    };
    assert.throws(
      () => apply(live, {}),
      new ApplyError(500, "failed to decode managed fields: operation must be `Apply` or `Update`"),
    );
  });
});

describe("applyPatch() between versions", () => {
  const versioned: ManagedKind = {
    ...kind,
    version: (apiVersion) =>
      apiVersion === "v1" || apiVersion === "v2"
        ? { schema, convert: (object) => ({ ...object, apiVersion }) }
        : undefined,
  };
  const stored = (apiVersion: string) => ({
    ...thing({ text: "1" }),
    metadata: {
      name: "t",
      uid: "u",
      managedFields: [
        {
          manager: "old",
          operation: "Update",
          apiVersion,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:text": {} } },
        },
      ],
    },
  });
  const run = (apiVersion: string) =>
    applyPatch({
      kind: versioned,
      live: stored(apiVersion),
      patch: thing({ text: "2" }),
      manager: "m",
      force: false,
      now,
    });

  test("finds conflicts in the other version", () => {
    assert.equal(
      run("v2").conflict?.message,
      'Apply failed with 1 conflict: conflict with "old" using v2: .spec.text',
    );
  });

  test("drops managers of versions that are no longer served", () => {
    assert.deepEqual(managers(run("v0").object ?? {}), { "m Apply": { "f:text": {} } });
  });
});

const value = fc.constantFrom("1", "2");
const key = fc.constantFrom("a", "b", "__proto__");
const spec = fc.record(
  {
    text: value,
    granular: fc.dictionary(key, value, { noNullPrototype: true, minKeys: 1 }),
    atomic: fc.dictionary(key, value, { noNullPrototype: true }),
    set: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }),
    items: fc.uniqueArray(
      fc.record({ name: fc.constantFrom("a", "b", "c"), value }, { requiredKeys: ["name"] }),
      {
        minLength: 1,
        selector: ({ name }) => name,
      },
    ),
    any: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const options = { seed: 20260731, numRuns: 300 };

test("applyPatch() is idempotent", () => {
  fc.assert(
    fc.property(spec, spec, spec, (first, second, third) => {
      const live = apply(apply(undefined, first), second, { manager: "other", force: true });
      const once = apply(live, third, { force: true });
      // A map that loses all entries becomes null, which decoding then drops or validation refuses.
      fc.pre(!JSON.stringify(once["spec"]).includes("null"));
      assert.deepEqual(apply(once, third, { force: true, now: "2027-01-01T00:00:00Z" }), once);
    }),
    options,
  );
});

test("applyPatch() by a single manager returns the applied configuration", () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const object = apply(apply(undefined, first), second);
      const fresh = apply(undefined, second);
      assert.deepEqual(managers(object), managers(fresh));
    }),
    options,
  );
});

test("updateManagedFields() records exactly what a write changed", () => {
  fc.assert(
    fc.property(spec, spec, (before, after) => {
      const live = apply(undefined, before);
      const next = { ...live, spec: after };
      const object = updateManagedFields({ kind, live, next, manager: "u", now });
      const again = updateManagedFields({ kind, live: object, next: object, manager: "v", now });
      assert.deepEqual(again, object);
    }),
    options,
  );
});
