import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructSchema } from "#/api/base/schema.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import { DecodeError } from "../codec/shape/decode-error.ts";
import { fromUnstructured } from "./from-unstructured.ts";

const deployment = findDefinition("apps/v1", "Deployment") as StructSchema;
const slice = findDefinition("resource/v1", "ResourceSlice") as StructSchema;
const secret = findDefinition("core/v1", "Secret") as StructSchema;

/** Upstream's responses to a strategic merge patch with such a value. */
const refused: readonly (readonly [schema: StructSchema, document: unknown, message: string])[] = [
  [deployment, { spec: "x" }, "cannot restore struct from: string"],
  [deployment, { spec: [] }, "cannot restore struct from: slice"],
  [deployment, { kind: 5 }, "cannot convert int64 to string"],
  [deployment, { kind: 1.5 }, "unrecognized type: string"],
  [
    deployment,
    { spec: { strategy: { type: 5 } } },
    "cannot convert int64 to v1.DeploymentStrategyType",
  ],
  [deployment, { spec: { paused: 1 } }, "unrecognized type: bool"],
  [deployment, { spec: { replicas: "2" } }, "unrecognized type: int32"],
  [deployment, { spec: { replicas: 1.5 } }, "cannot convert float64 to int32"],
  [deployment, { metadata: { labels: "x" } }, "cannot restore map from string"],
  [deployment, { metadata: { finalizers: {} } }, "cannot restore slice from map"],
  [
    deployment,
    { metadata: { creationTimestamp: 5 } },
    "json: cannot unmarshal number into Go value of type string",
  ],
  [secret, { data: { a: "%" } }, "error decoding from json: illegal base64 data at input byte 0"],
  [
    deployment,
    { spec: { replicas: "2" }, metadata: { name: 5 } },
    "cannot convert int64 to string",
  ],
];

for (const [schema, document, message] of refused) {
  test(`fromUnstructured() reports "${message}" for ${JSON.stringify(document)}`, () => {
    const decode = () => fromUnstructured(document, schema, false);
    assert.throws(decode, new DecodeError(message));
  });
}

test("fromUnstructured() wraps integers around, and does not change its document", () => {
  const document = {
    metadata: { generation: 2 ** 63 },
    spec: { replicas: 2 ** 31, minReadySeconds: 2n ** 63n - 1n, progressDeadlineSeconds: 1000 },
  };
  const before = structuredClone(document);
  const { value } = fromUnstructured<{ metadata: object; spec: Record<string, unknown> }>(
    document,
    deployment,
    false,
  );
  const { replicas, minReadySeconds, progressDeadlineSeconds } = value.spec;
  assert.deepEqual(value.metadata, { generation: -(2n ** 63n) });
  assert.deepEqual(
    { replicas, minReadySeconds, progressDeadlineSeconds },
    { replicas: -(2 ** 31), minReadySeconds: -1, progressDeadlineSeconds: 1000 },
  );
  assert.deepEqual(document, before);
});

test("fromUnstructured() does not name keys of maps on the way to unknown fields", () => {
  const spec = { devices: [{ name: "d", attributes: { model: { zz: 1 } } }] };
  const { problems } = fromUnstructured({ spec }, slice, true);
  assert.deepEqual(problems, ['unknown field "spec.devices[0].attributes.zz"']);
});

test("fromUnstructured() lists unknown fields in their order", () => {
  const { problems } = fromUnstructured({ spec: { b: 1, a: 2 }, c: 3 }, deployment, true);
  const unknown = ["c", "spec.a", "spec.b"].map((path) => `unknown field "${path}"`);
  assert.deepEqual(problems, unknown);
});
