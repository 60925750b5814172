import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { notAcceptable } from "../meta/status-error.ts";
import { DecodeState } from "./json/decode-state.ts";
import { encodeJson } from "./json/encode-json.ts";
import { documentOf } from "./json/json-document.ts";
import { decodeRaw, parseRawJson } from "./json/raw-decoder.ts";
import { negotiate, resourceOffer } from "./negotiate.ts";
import { openJsonBody, openYamlBody } from "./object-body.ts";
import { DecodeError } from "./shape/decode-error.ts";
import { readYaml } from "./yaml/yaml-reader.ts";
import { writeYaml } from "./yaml/yaml-writer.ts";

/** Results of upstream's serializers; written by tools/record-codec. */
function recorded<Case>(name: string): Case[] {
  const path = join(import.meta.dirname, "recorded", `${name}.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: Case[] }).cases;
}

interface DecodeCase {
  readonly body?: string;
  readonly latin1?: string;
  readonly yaml?: boolean;
  readonly object?: string;
  readonly problems?: readonly string[];
  readonly error?: string;
}

for (const recording of recorded<DecodeCase>("decode")) {
  const { body = "", latin1, yaml = false, ...expected } = recording;
  test(`decoding ${(latin1 ?? body).slice(0, 160)} answers as upstream does`, () => {
    const bytes = latin1 === undefined ? Buffer.from(body) : Buffer.from(latin1, "latin1");
    assert.deepEqual(decode(bytes, yaml), expected);
  });
}

function decode(bytes: Uint8Array, yaml: boolean): Omit<DecodeCase, "body" | "latin1" | "yaml"> {
  try {
    const body = yaml ? openYamlBody(bytes) : openJsonBody(bytes);
    const [version = "", group = ""] = body.apiVersion.split("/").reverse();
    const schema = findSchema(group, version, body.kind);
    assert.ok(schema);
    const { value, problems } = body.decode<object>(schema, true);
    const object = encodeJson(value, schema).toString();
    return problems.length > 0 ? { object, problems } : { object };
  } catch (error) {
    if (error instanceof DecodeError) return { error: error.message };
    throw error;
  }
}

interface AcceptCase {
  readonly accept: string;
  readonly mediaType?: string;
  readonly pretty?: boolean;
  readonly stream?: string;
  readonly profile?: string;
  readonly convertTo?: object;
  readonly error?: string;
}

for (const { accept, ...expected } of recorded<AcceptCase>("accept")) {
  test(`negotiate() answers ${JSON.stringify(accept)} as upstream does`, () => {
    const offer = resourceOffer({ tables: true, custom: false });
    const negotiated = negotiate(accept, offer);
    const refusal = { error: notAcceptable(offer.mediaTypes).message };
    const said = Object.entries(negotiated ?? refusal).filter(([, value]) => value);
    assert.deepEqual(Object.fromEntries(said), expected);
  });
}

interface YamlCase {
  readonly yaml: string;
  readonly json?: string;
  readonly strict?: string;
  readonly error?: string;
}

for (const { yaml, json = "null" } of recorded<YamlCase>("to-yaml")) {
  test(`writeYaml() writes ${json.slice(0, 160)} as upstream does`, () => {
    assert.equal(writeYaml(parseRawJson(Buffer.from(json))), yaml);
  });
}

for (const { yaml, ...expected } of recorded<YamlCase>("from-yaml")) {
  test(`readYaml() reads ${JSON.stringify(yaml)} as upstream does`, () => {
    const { json, strict, error } = expected;
    const value = json === undefined ? undefined : parseRawJson(Buffer.from(json));
    const problem = strict === undefined ? [] : strict.split("\n  ").slice(1);
    assert.deepEqual(fromYaml(yaml), error === undefined ? { value, problem } : { error });
  });
}

function fromYaml(text: string): object {
  try {
    const { value, duplicates } = readYaml(Buffer.from(text));
    const document = documentOf(value);
    return { value: decodeRaw(value, new DecodeState(false, document)), problem: duplicates };
  } catch (error) {
    if (error instanceof DecodeError) return { error: error.message };
    throw error;
  }
}
