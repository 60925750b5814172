import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { StructSchema } from "#/api/base/schema.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { readVectors } from "#/testing/vectors.ts";
import { DecodeState } from "./json/decode-state.ts";
import { encodeJson } from "./json/encode-json.ts";
import { documentOf } from "./json/json-document.ts";
import { decodeRaw, parseRawJson } from "./json/raw-decoder.ts";
import { writeJson } from "./json/write-json.ts";
import { type ObjectBody, openJsonBody, openProtobufBody, openYamlBody } from "./object-body.ts";
import { encodeProtobuf } from "./protobuf/protobuf-envelope.ts";
import { DecodeError } from "./shape/decode-error.ts";
import { encodeYaml } from "./yaml/encode-yaml.ts";
import { readYaml } from "./yaml/yaml-reader.ts";
import { writeYaml } from "./yaml/yaml-writer.ts";

/**
 * FUZZ_SECONDS runs each property for that time (seconds) with a random seed, instead of a few
 * hundred times with a fixed seed.
 */
const seconds = Number(process.env["FUZZ_SECONDS"] ?? 0);
const settings =
  seconds > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 }
    : { seed: 20260302, numRuns: 300 };

function check<T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void {
  fc.assert(
    fc.property(arbitrary, (value) => property(value)),
    { ...settings, ...(seconds > 0 && { markInterruptAsFailure: false }) },
  );
}

interface Sample {
  readonly schema: StructSchema;
  readonly bytes: Buffer;
}

function samples(format: "json" | "yaml" | "pb"): Sample[] {
  return [...readVectors()].flatMap(({ group, version, kind, ...vector }) => {
    const schema = findSchema(group, version, kind);
    return schema === undefined ? [] : [{ schema, bytes: Buffer.from(vector[format]) }];
  });
}

/** A sample with some of its bytes changed, cut out or repeated. */
function mutated(format: "json" | "yaml" | "pb"): fc.Arbitrary<Sample> {
  const edit = fc.record({
    at: fc.nat(),
    length: fc.nat({ max: 12 }),
    insert: fc.uint8Array({ maxLength: 12 }),
  });
  return fc
    .tuple(fc.constantFrom(...samples(format)), fc.array(edit, { minLength: 1, maxLength: 5 }))
    .map(([{ schema, bytes }, edits]) => {
      let result = bytes;
      for (const { at, length, insert } of edits) {
        const start = at % (result.length + 1);
        result = Buffer.concat([
          result.subarray(0, start),
          insert,
          result.subarray(start + length),
        ]);
      }
      return { schema, bytes: result };
    });
}

/** Decodes bytes; encodes the result again if they are valid. */
function decodes(open: (bytes: Uint8Array) => ObjectBody, { schema, bytes }: Sample): void {
  try {
    const { value } = open(bytes).decode<object>(schema, true);
    encodeJson(value, schema);
    encodeYaml(value, schema);
    encodeProtobuf(value, schema);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String((error as Error).stack));
  }
}

test("JSON with wrong bytes is decoded or refused", () => {
  check(mutated("json"), (sample) => decodes(openJsonBody, sample));
});

test("YAML with wrong bytes is decoded or refused", () => {
  check(mutated("yaml"), (sample) => decodes(openYamlBody, sample));
});

test("protobuf with wrong bytes is decoded or refused", () => {
  check(mutated("pb"), (sample) => decodes(openProtobufBody, sample));
});

/** JSON that JSON.parse and this parser read alike: integers beyond 2^53 are exact here. */
const plainJson = fc
  .jsonValue({ maxDepth: 5, stringUnit: "binary" })
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (_, item) => (isUnsafe(item) ? 0 : item)),
  );

function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

test("writeJson() is read back unchanged", () => {
  check(plainJson, (value) => {
    assert.deepEqual(parseRawJson(Buffer.from(JSON.stringify(value))), value);
    assert.deepEqual(parseRawJson(Buffer.from(writeJson(value))), value);
    assert.deepEqual(parseRawJson(Buffer.from(writeJson(value, { pretty: true }))), value);
    assert.deepEqual(JSON.parse(writeJson(value, { indexKeys: true })), value);
  });
});

const yamlText = fc.string({ unit: "grapheme-composite", maxLength: 60 });
const yamlValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    yamlText,
    fc.constantFrom(null, true, false, 0, 1, -5, 1.5, "yes", "1", "null", "", "a\nb\n", " x"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(yamlText, tie("value"), { maxKeys: 4 }),
  ),
})).value;

test("writeYaml() is read back unchanged", () => {
  check(yamlValue, (value) => {
    const plain: unknown = JSON.parse(JSON.stringify(value));
    const document = documentOf(readYaml(Buffer.from(writeYaml(plain))).value);
    assert.deepEqual(decodeRaw(document.value, new DecodeState(false, document)), plain);
  });
});

const megabyte = 1024 * 1024;
const hostile: { name: string; body: string; open: (bytes: Uint8Array) => ObjectBody }[] = [
  { name: "deep JSON arrays", body: "[".repeat(3 * megabyte), open: openJsonBody },
  { name: "deep JSON objects", body: '{"a":'.repeat(megabyte / 2), open: openJsonBody },
  {
    name: "a closed deep JSON object",
    body: `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    open: openJsonBody,
  },
  { name: "a huge JSON number", body: `{"a":${"9".repeat(3 * megabyte)}.}`, open: openJsonBody },
  { name: "deep YAML flow sequences", body: "[".repeat(megabyte), open: openYamlBody },
  { name: "deep YAML flow mappings", body: "{a: ".repeat(megabyte / 4), open: openYamlBody },
  { name: "deep YAML block sequences", body: "- ".repeat(megabyte), open: openYamlBody },
  {
    name: "deep YAML block mappings",
    body: Array.from({ length: 1500 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    open: openYamlBody,
  },
  {
    name: "a YAML document that grows by its aliases",
    body: Array.from(
      { length: 30 },
      (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i > 0 ? 9 : 0)}]\n`,
    ).join(""),
    open: openYamlBody,
  },
];
for (const { name, body, open } of hostile) {
  test(`${name} are refused in time`, { timeout: 10_000 }, () => {
    assert.throws(() => open(Buffer.from(body)), DecodeError);
  });
}
