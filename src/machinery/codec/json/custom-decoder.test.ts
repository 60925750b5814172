import assert from "node:assert/strict";
import test from "node:test";
import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { findDefinition } from "../../schema/definitions.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { decodeJson } from "./decode-json.ts";
import { encodeJson } from "./encode-json.ts";
import { parseJson } from "./json-document.ts";

function struct(fields: Record<string, Schema>, more: Partial<StructSchema> = {}): StructSchema {
  const entries = Object.entries(fields).map(([name, schema]): [string, Field] => [
    name,
    { name, schema, required: false, omit: "empty", pointer: true },
  ]);
  return {
    type: "struct",
    unstructured: true,
    fields: new Map(entries),
    mapType: "granular",
    ...more,
  };
}

const metadata = findDefinition("meta/v1", "ObjectMeta");
assert.ok(metadata);

const widget = struct({
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata,
  spec: struct({
    size: { type: "integer", format: "int64" },
    parts: {
      type: "list",
      items: struct({ name: { type: "string" } }),
      listType: "atomic",
    },
    byName: { type: "map", values: struct({ x: { type: "integer" } }), mapType: "granular" },
    free: struct({ known: struct({ a: { type: "string" } }) }, { preserveUnknown: true }),
    any: { type: "any" },
    maybe: { type: "string", nullable: true },
  }),
});

const cases: { name: string; body: string; json?: string; problems?: string[] }[] = [
  {
    name: "sorts keys and keeps null, empty and zero values",
    body: '{"kind":"W","apiVersion":"a/v1","spec":{"size":0,"parts":[],"maybe":null,"byName":{}}}',
    json: '{"apiVersion":"a/v1","kind":"W","spec":{"byName":{},"maybe":null,"parts":[],"size":0}}',
  },
  {
    name: "drops and reports unknown fields, those of metadata first",
    body: '{"zz":1,"spec":{"b":1,"a":{"x":1},"parts":[{"name":"n","y":1}],"byName":{"k":{"x":1,"y":2}}},"metadata":{"name":"n","foo":1}}',
    json: '{"metadata":{"name":"n"},"spec":{"byName":{"k":{"x":1}},"parts":[{"name":"n"}]}}',
    problems: [
      'unknown field "metadata.foo"',
      'unknown field "spec.a"',
      'unknown field "spec.b"',
      'unknown field "spec.byName.k.y"',
      'unknown field "spec.parts[0].y"',
      'unknown field "zz"',
    ],
  },
  {
    name: "keeps unknown fields where the schema preserves them, but not below known ones",
    body: '{"spec":{"free":{"x":{"y":[1]},"known":{"a":"b","c":1}},"any":{"z":{"y":1}}}}',
    json: '{"spec":{"any":{"z":{"y":1}},"free":{"known":{"a":"b"},"x":{"y":[1]}}}}',
    problems: ['unknown field "spec.free.known.c"'],
  },
  {
    name: "leaves wrong types to validation",
    body: '{"spec":{"size":"x","parts":{"a":1},"byName":[{"b":1}],"maybe":1.5}}',
    json: '{"spec":{"byName":[{"b":1}],"maybe":1.5,"parts":{"a":1},"size":"x"}}',
  },
  {
    name: "keeps integers of 64 bits, and only those",
    body: '{"spec":{"any":[9007199254740993,-9223372036854775808,9223372036854775808,1.0,1e3,1.5e300]}}',
    json: '{"spec":{"any":[9007199254740993,-9223372036854775808,9223372036854776000,1,1000,1.5e+300]}}',
  },
  {
    name: "reports repeated keys anywhere",
    body: '{"spec":{"any":{"a":1,"a":2},"size":1,"size":2},"metadata":{"name":"a","name":"b"},"x":1}',
    json: '{"metadata":{"name":"b"},"spec":{"any":{"a":2},"size":2}}',
    problems: [
      'duplicate field "spec.any.a"',
      'duplicate field "spec.size"',
      'duplicate field "metadata.name"',
      'unknown field "x"',
    ],
  },
  {
    name: "handles prototype keys safely",
    body: '{"__proto__":{"a":1},"constructor":1,"spec":{"any":{"__proto__":{"b":1},"toString":2},"byName":{"__proto__":{"x":1,"y":1}}}}',
    json: '{"spec":{"any":{"__proto__":{"b":1},"toString":2},"byName":{"__proto__":{"x":1}}}}',
    problems: [
      'unknown field "__proto__"',
      'unknown field "constructor"',
      'unknown field "spec.byName.__proto__.y"',
    ],
  },
  {
    name: "sorts keys that look like indexes among the others",
    body: '{"spec":{"any":{"10":1,"9":2,"-":3,"a":{"2":1,"1":2,"!":3}}}}',
    json: '{"spec":{"any":{"-":3,"10":1,"9":2,"a":{"!":3,"1":2,"2":1}}}}',
  },
];
for (const { name, body, json, problems = [] } of cases) {
  test(`decoding a custom resource ${name}`, () => {
    const decoded = decodeJson(parseJson(Buffer.from(body)), widget, true);
    assert.deepEqual(decoded.problems, problems);
    assert.equal(encodeJson(decoded.value, widget).toString(), `${json}\n`);
    const prototype = Object.getPrototypeOf(decoded.value);
    assert.equal(prototype, Object.prototype);
  });
}

test("decoding a custom resource refuses metadata of the wrong type", () => {
  const body = Buffer.from('{"metadata":{"labels":{"a":1}}}');
  assert.throws(
    () => decodeJson(parseJson(body), widget, true),
    new DecodeError(
      "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    ),
  );
});
