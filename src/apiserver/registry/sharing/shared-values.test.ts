import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { encodeFields } from "#/machinery/codec/json/encode-fields.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import type { CommonHooks, ServerRules } from "./common-hooks.ts";
import { type Origin, SharedValues } from "./shared-values.ts";

const schema = schemaOf(pods);
const specField = schema.fields.get("spec");
assert.ok(specField);
const noHooks: CommonHooks = { field: "spec" };
const values = (hooks = noHooks): SharedValues => new SharedValues(specField.schema, hooks);

const spec = (name: string, args: number): PodSpec => ({
  containers: [{ name, image: "busybox", args: new Array(args).fill("--verbose") }],
});

test("SharedValues.share returns one value for all with the same text", () => {
  const shared = values();
  const first = spec("a", 100);
  const found = shared.share(first);
  assert.equal(found?.value, first);
  assert.equal(shared.share(spec("a", 100)), found);
  const reordered = {
    containers: [{ ...{ args: first.containers[0]?.args }, ...spec("a", 100).containers[0] }],
  };
  assert.equal(shared.share(reordered), found, "the order of fields is not part of the text");
  assert.notEqual(shared.share(spec("b", 100)), found);
});

test("SharedValues.share ignores small and very large values", () => {
  const shared = values();
  for (const args of [1, 5000]) assert.equal(shared.share(spec("a", args)), undefined);
});

test("SharedValues.share drops values that were not used for long", () => {
  const shared = values();
  const first = shared.share(spec("first", 100));
  for (let index = 0; index < 1000; index++) shared.share(spec(`c${index}`, 100));
  assert.notEqual(shared.share(spec("first", 100)), first);
});

test("SharedValues.share records the result of an origin, and verifies it", () => {
  const shared = values();
  const origin: Origin = { outcome: undefined };
  const first = shared.share(spec("a", 100), origin);
  assert.equal(origin.outcome, first);
  assert.equal(shared.share(spec("a", 100), origin), first);
  const changed = shared.share(spec("b", 100), origin);
  assert.notEqual(changed, first);
  assert.equal(origin.outcome, changed);
});

test("SharedValue calls the hooks once for each set of rules", () => {
  const asked: boolean[] = [];
  const hooks: CommonHooks = {
    field: "spec",
    validate(_value, { enabled, allowPrivileged }) {
      asked.push(allowPrivileged);
      return enabled("X") && allowPrivileged ? [] : undefined;
    },
    warnings: () => [`${asked.length}`],
  };
  const found = values(hooks).share(spec("a", 100));
  assert.ok(found);
  const on: ServerRules = { enabled: () => true, allowPrivileged: true };
  assert.deepEqual([found.errors(on), found.errors({ ...on })], [[], []]);
  assert.equal(asked.length, 1);
  assert.equal(found.errors({ ...on, allowPrivileged: false }), undefined);
  assert.equal(found.errors({ ...on, enabled: () => false }), undefined);
  assert.deepEqual(asked, [true, false, true]);
  assert.deepEqual([found.warnings(), found.warnings()], [["3"], ["3"]]);
});

test("encodeFields writes a shared value like any other", () => {
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "x" }, spec: spec("a", 100) };
  const plain = encodeFields(object, schema);
  const found = values().share(object.spec);
  assert.ok(found);
  const shared = encodeFields(object, schema, (_name, value) =>
    value === found.value ? found.bytes : undefined,
  );
  assert.equal(Buffer.from(shared.bytes).toString(), Buffer.from(plain.bytes).toString());
  assert.deepEqual(shared.places, plain.places);
});
