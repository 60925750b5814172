import assert from "node:assert/strict";
import test from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { readVectors } from "#/testing/vectors.ts";
import { decodeJson } from "./json/decode-json.ts";
import { encodeJson } from "./json/encode-json.ts";
import { parseJson } from "./json/json-document.ts";
import { openYamlBody } from "./object-body.ts";
import { decodeProtobuf, encodeProtobuf, openEnvelope } from "./protobuf/protobuf-envelope.ts";
import { encodeYaml } from "./yaml/encode-yaml.ts";

for (const { group, version, kind, json, yaml, pb } of readVectors()) {
  test(`${kind} of ${group}/${version} is written as upstream writes it`, () => {
    const schema = findSchema(group, version, kind);
    assert.ok(schema);
    const fromJson = decodeJson<object>(parseJson(Buffer.from(json)), schema, true);
    assert.deepEqual(fromJson.problems, []);
    const fromProtobuf = decodeProtobuf<object>(openEnvelope(pb), schema);
    const fromYaml = openYamlBody(Buffer.from(yaml)).decode<object>(schema, true);
    assert.deepEqual(fromYaml.problems, []);
    for (const value of [fromJson.value, fromYaml.value, fromProtobuf]) {
      assert.equal(encodeJson(value, schema, { pretty: true }).toString(), json.trimEnd());
      assert.equal(encodeYaml(value, schema).toString(), yaml);
      assert.deepEqual(Buffer.from(encodeProtobuf(value, schema)), pb);
    }
    const compact = encodeJson(fromProtobuf, schema);
    assert.equal(compact.toString(), `${escapeHtml(JSON.stringify(JSON.parse(json)))}\n`);
    const again = decodeJson<object>(parseJson(compact), schema, true).value;
    assert.deepEqual(Buffer.from(encodeProtobuf(again, schema)), pb);
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}
