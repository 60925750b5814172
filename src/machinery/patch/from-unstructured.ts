import type { ScalarSchema, Schema, StructSchema } from "#/api/base/schema.ts";
import { Base64Error, canonicalBase64 } from "#/std/go/go-base64.ts";
import { type Decoded, decodeJson } from "../codec/json/decode-json.ts";
import { DecodeState } from "../codec/json/decode-state.ts";
import { decoderOf } from "../codec/json/json-decoder.ts";
import { documentOf } from "../codec/json/json-document.ts";
import { DecodeError } from "../codec/shape/decode-error.ts";
import { goTypeName } from "../codec/shape/go-type-name.ts";
import { deepCopy } from "../objects/deep-copy.ts";
import { goKind } from "./strategic/lookup.ts";
import { goType } from "./values/go-value.ts";
import { isJsonObject, ownValue } from "./values/json-value.ts";

/**
 * Converts a document that is not parsed from text, the result of a strategic merge patch or of
 * server-side apply, to an object of a kind. The messages for values of a wrong type differ from
 * those of a text, and an integer that is too large wraps around. Throws DecodeError; the document
 * is not changed.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/converter.go.
 */
export function fromUnstructured<T>(
  document: unknown,
  schema: StructSchema,
  strict: boolean,
): Decoded<T> {
  const decode = (value: unknown) => decodeJson<T>(documentOf(value), schema, strict);
  let decoded: Decoded<T>;
  try {
    decoded = decode(deepCopy(document));
  } catch (error) {
    if (!(error instanceof DecodeError) || schema.unstructured) throw error;
    decoded = decode(restore(document, schema));
  }
  if (decoded.problems.length === 0) return decoded;
  return { ...decoded, problems: unknownFields(document, schema, "").sort() };
}

/** The unknown fields, by paths without the keys of maps. */
function unknownFields(value: unknown, schema: Schema, path: string): string[] {
  if (schema.type === "list" && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(item, schema.items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  if (schema.type === "map") {
    return Object.values(value).flatMap((item) => unknownFields(item, schema.values, path));
  }
  if (schema.type !== "struct") return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const below = path === "" ? key : `${path}.${key}`;
    const field = schema.fields.get(key);
    return field ? unknownFields(part, field.schema, below) : [`unknown field "${below}"`];
  });
}

/** A copy of a value with its numbers converted to their types. */
function restore(value: unknown, schema: Schema): unknown {
  if (value === null || value === undefined) return value;
  switch (schema.type) {
    case "string":
    case "boolean":
    case "integer":
    case "number":
      return restoreScalar(value, schema);
    case "bytes":
      return typeof value === "string" ? restoreBytes(value) : restoreList(value, byte);
    case "list":
      return restoreList(value, schema.items);
    case "map":
      return restoreMap(value, schema.values);
    case "struct":
      return restoreStruct(value, schema);
    case "any":
      return deepCopy(value);
    default:
      return restoreSpecial(value, schema);
  }
}

const byte: ScalarSchema = { type: "integer", format: "uint8" };

function restoreScalar(value: unknown, schema: ScalarSchema): unknown {
  const from = goType(value);
  const isNumber = from === "int64" || from === "float64";
  if (isNumber && schema.type === "number") return Number(value);
  if (isNumber && schema.type === "integer") return restoreInteger(value as number, schema);
  if (typeof value === schema.type) return value;
  // Go can convert integers to strings, so the message is different.
  if (from === "int64" && schema.type === "string") throw inconvertible(from, schema);
  throw new DecodeError(`unrecognized type: ${goKind(schema)}`);
}

const inconvertible = (from: string, schema: Schema): DecodeError =>
  new DecodeError(`cannot convert ${from} to ${goTypeName(schema)}`);

/** As processors do, a double beyond 64 bits becomes the smallest integer. */
function restoreInteger(value: number | bigint, schema: ScalarSchema): number | bigint {
  const bits = Number(/\d+$/.exec(schema.format ?? "")?.[0] ?? 64);
  if (typeof value === "number" && !Number.isInteger(value)) throw inconvertible("float64", schema);
  const exact = BigInt(value);
  const whole = BigInt.asIntN(64, exact) === exact ? exact : -(2n ** 63n);
  const wrapped = BigInt.asIntN(bits, whole);
  return Number.isSafeInteger(Number(wrapped)) ? Number(wrapped) : wrapped;
}

function restoreBytes(text: string): string {
  try {
    return canonicalBase64(text);
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new DecodeError(`error decoding from json: ${error.message}`);
  }
}

function restoreList(value: unknown, items: Schema): unknown {
  if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
  return value.map((item) => restore(item, items));
}

function restoreMap(value: unknown, values: Schema): unknown {
  if (!isJsonObject(value)) throw new DecodeError(`cannot restore map from ${kindOf(value)}`);
  const entries = Object.entries(value).map(([key, item]) => [key, restore(item, values)] as const);
  return Object.fromEntries(entries);
}

/** Fields are converted in Go's order, so that the error names the first invalid one. */
function restoreStruct(value: unknown, { fields }: StructSchema): unknown {
  if (!isJsonObject(value)) throw new DecodeError(`cannot restore struct from: ${kindOf(value)}`);
  const restored = new Map(Object.entries(value));
  for (const { name, schema } of fields.values()) {
    if (restored.has(name)) restored.set(name, restore(ownValue(value, name), schema));
  }
  return Object.fromEntries(restored);
}

/** A type with its own JSON decoder does not know its field. */
function restoreSpecial(value: unknown, schema: ScalarSchema): unknown {
  const state = new DecodeState(false, documentOf(undefined));
  decoderOf(schema)(deepCopy(value), state);
  state.finish();
  return deepCopy(value);
}

/** The kind of Go's type for a value of a document. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  return isJsonObject(value) ? "map" : goType(value);
}
