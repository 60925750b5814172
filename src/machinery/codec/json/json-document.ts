import { isUtf8 } from "node:buffer";
import { DecodeError } from "../shape/decode-error.ts";
import { type Duplicates, NumberLiteral, parseJsonExactly } from "./json-parser.ts";
import { scanJson } from "./json-scan.ts";

/**
 * How deeply objects and arrays may nest. Upstream allows 10,000; ours is what recursive code survives with the stack
 * that Node gives it, and far above any schema.
 */
export const maxDepth = 1000;

/** A parsed JSON text, before any schema has had its say. Decoding takes the value over, so it is used once. */
export interface JsonDocument {
  readonly value: unknown;
  /** How many object keys the text has; more than the value has means repeated ones. */
  readonly keys: number;
  /** The objects with repeated keys; absent when nobody has looked yet. */
  readonly duplicates?: Duplicates;
  /** The same text with repeated keys listed. */
  readonly withDuplicates: () => JsonDocument;
}

/** Reads a JSON text; numbers that a double cannot keep apart as Go does come as NumberLiteral. */
export function parseJson(bytes: Uint8Array): JsonDocument {
  const { keys, depth, subtle } = scanJson(bytes);
  if (depth > maxDepth || subtle || !isUtf8(bytes)) return parseExactly(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return { value, keys, withDuplicates: () => parseExactly(bytes) };
  } catch {
    // JSON.parse words it its own way; the exact parser finds the same fault and says it as Go does.
    return parseExactly(bytes);
  }
}

/** A value that has no text of its own, such as the result of a patch. */
export function documentOf(value: unknown): JsonDocument {
  const document = { value, keys: 0, duplicates: new Map(), withDuplicates: () => document };
  return document;
}

function parseExactly(bytes: Uint8Array): JsonDocument {
  const { value, keys, duplicates } = parseJsonExactly(bytes, maxDepth);
  const document = { value, keys, duplicates, withDuplicates: () => document };
  return document;
}

/** The kind that an object says it is; "" where it says nothing. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const metaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads apiVersion and kind, which decide how the rest is decoded.
 *
 * Upstream: apimachinery/pkg/runtime/serializer/json/meta.go.
 */
export function typeMetaOf({ value }: JsonDocument): TypeMeta {
  if (value === null) return { apiVersion: "", kind: "" };
  if (typeof value !== "object" || Array.isArray(value) || value instanceof NumberLiteral) {
    throw typeMetaError(
      `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${metaStruct}`,
    );
  }
  return { apiVersion: textField(value, "apiVersion"), kind: textField(value, "kind") };
}

/** Go reads these two without minding the case of their names. */
function textField(object: object, name: string): string {
  const entries = Object.entries(object);
  const exact = entries.find(([key]) => key === name);
  const value = (exact ?? entries.find(([key]) => key.toLowerCase() === name.toLowerCase()))?.[1];
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw typeMetaError(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${name} of type string`,
  );
}

/** What is wrong with an object whose kind cannot be found out. */
export function typeMetaError(reason: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: ${reason}`, "syntax");
}

/** What Go's errors call a value: "string", "number", "bool", "array", "object". */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value instanceof NumberLiteral || typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
