import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { schemaOf } from "../../schema/kinds.ts";
import { encodeFields } from "./encode-fields.ts";
import { isShared, SharedValues, sharedBytes } from "./shared-values.ts";

const schema = schemaOf(pods);
const specField = schema.fields.get("spec");
assert.ok(specField);
const values = (): SharedValues => new SharedValues(specField.schema);

const spec = (name: string, args: number): PodSpec => ({
  containers: [{ name, image: "busybox", args: new Array(args).fill("--verbose") }],
});

test("SharedValues.share gives one value for all that have the same text", () => {
  const shared = values();
  const first = spec("a", 100);
  assert.equal(shared.share(first), first);
  assert.equal(shared.share(spec("a", 100)), first);
  const reordered = {
    containers: [{ ...{ args: first.containers[0]?.args }, ...spec("a", 100).containers[0] }],
  };
  assert.equal(shared.share(reordered), first, "the order of fields is not part of the text");
  assert.notEqual(shared.share(spec("b", 100)), first);
  assert.ok(isShared(first));
});

test("SharedValues.share leaves small and very large values alone", () => {
  const shared = values();
  for (const args of [1, 5000]) {
    const value = spec("a", args);
    assert.equal(shared.share(value), value);
    assert.notEqual(shared.share(spec("a", args)), value);
    assert.ok(!isShared(value));
    assert.equal(sharedBytes(value), undefined);
  }
});

test("SharedValues.share forgets what has not been used for long", () => {
  const shared = values();
  const first = shared.share(spec("first", 100));
  for (let index = 0; index < 1000; index++) shared.share(spec(`c${index}`, 100));
  assert.notEqual(shared.share(spec("first", 100)), first);
});

test("encodeFields writes a shared value as it would any other", () => {
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "x" }, spec: spec("a", 100) };
  const plain = encodeFields(object, schema);
  const shared = encodeFields({ ...object, spec: values().share(spec("a", 100)) }, schema);
  assert.equal(Buffer.from(shared.bytes).toString(), Buffer.from(plain.bytes).toString());
  assert.deepEqual(shared.places, plain.places);
});
