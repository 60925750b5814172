import assert from "node:assert/strict";
import test from "node:test";
import { readVectors } from "#/testing/vectors.ts";
import { findSchema } from "../../schema/kinds.ts";
import { decodeJson } from "./decode-json.ts";
import { type EncodedObject, encodeFields } from "./encode-fields.ts";
import { jsonText } from "./encode-json.ts";
import { parseJson } from "./json-document.ts";

const text = ({ bytes }: EncodedObject): string => Buffer.from(bytes).toString();
const at = ({ bytes }: EncodedObject, start: number, end: number): Uint8Array =>
  bytes.subarray(bytes.length - start, bytes.length - end);

for (const { group, version, kind, json } of readVectors()) {
  test(`encodeFields() writes ${kind} of ${group}/${version} as jsonText() does`, () => {
    const schema = findSchema(group, version, kind);
    assert.ok(schema);
    const { value } = decodeJson<Record<string, unknown>>(
      parseJson(Buffer.from(json)),
      schema,
      true,
    );
    for (const object of [value, {}, { kind, unknown: 1 }]) {
      assert.equal(text(encodeFields(object, schema)), jsonText(object, schema));
    }
    const encoded = encodeFields(value, schema);
    for (const { name, start, end } of encoded.places) {
      const part = Buffer.from(at(encoded, start, end)).toString();
      assert.deepEqual(JSON.parse(part), JSON.parse(jsonText(value, schema))[name]);
    }
  });
}

test("encodeFields() reuses the bytes of unchanged fields", () => {
  const schema = findSchema("", "v1", "Pod");
  assert.ok(schema);
  const long = "ü".repeat(600);
  const before = {
    kind: "Pod",
    metadata: { name: "a" },
    spec: { nodeName: long },
    status: { phase: "Pending", message: long },
  };
  const first = encodeFields(before, schema);
  assert.deepEqual(
    first.places.map(({ name }) => name),
    ["spec", "status"],
  );
  const after = { ...before, metadata: { name: "bb" }, status: { phase: "Running" } };
  const asked: string[] = [];
  const second = encodeFields(after, schema, (name, value) => {
    const place = first.places.find((candidate) => candidate.name === name);
    if (!place || before[name as keyof typeof before] !== value) return undefined;
    asked.push(name);
    return at(first, place.start, place.end);
  });
  assert.deepEqual(asked, ["spec"]);
  assert.equal(text(second), jsonText(after, schema));
});
