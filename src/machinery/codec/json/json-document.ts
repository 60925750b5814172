import { isUtf8 } from "node:buffer";
import { DecodeError } from "../shape/decode-error.ts";
import { type Duplicates, NumberLiteral, parseJsonExactly } from "./json-parser.ts";
import { scanJson } from "./json-scan.ts";

/**
 * Limit of nested objects and arrays (levels). Upstream allows 10,000; this is the depth that
 * recursive code supports with Node's stack, and far above any schema.
 */
export const maxDepth = 1000;

/**
 * A parsed JSON text, before a schema is applied. Decoding takes over the value, so a document is
 * used once.
 */
export interface JsonDocument {
  readonly value: unknown;
  /** Number of object keys in the text; if it is more than the value has, there are duplicates. */
  readonly keys: number;
  /** The objects with duplicate keys; absent if they were not searched for yet. */
  readonly duplicates?: Duplicates;
  /** The same document with duplicate keys listed. */
  readonly withDuplicates: () => JsonDocument;
}

/** Parses a JSON text; numbers that a double cannot represent as Go does become NumberLiteral. */
export function parseJson(bytes: Uint8Array): JsonDocument {
  const { keys, depth, subtle } = scanJson(bytes);
  if (depth > maxDepth || subtle || !isUtf8(bytes)) return parseExactly(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return { value, keys, withDuplicates: () => parseExactly(bytes) };
  } catch {
    // JSON.parse has messages of its own; the exact parser finds the same error and reports it as
    // Go does.
    return parseExactly(bytes);
  }
}

/** A document of a value without a text, such as the result of a patch. */
export function documentOf(value: unknown): JsonDocument {
  const document = { value, keys: 0, duplicates: new Map(), withDuplicates: () => document };
  return document;
}

function parseExactly(bytes: Uint8Array): JsonDocument {
  const { value, keys, duplicates } = parseJsonExactly(bytes, maxDepth);
  const document = { value, keys, duplicates, withDuplicates: () => document };
  return document;
}

/** The apiVersion and kind of an object; "" where missing. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const metaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads apiVersion and kind, which determine how the rest is decoded.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/meta.go.
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

/** Go ignores the case of these two names. */
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

/** The error for an object of unknown kind. */
export function typeMetaError(reason: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: ${reason}`, "syntax");
}

/** The name of a value's type in Go's errors: "string", "number", "bool", "array", "object". */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value instanceof NumberLiteral || typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
