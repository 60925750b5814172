import type { StructSchema } from "#/api/base/schema.ts";
import { customDecoderOf } from "./custom-decoder.ts";
import { DecodeState } from "./decode-state.ts";
import { decoderOf } from "./json-decoder.ts";
import type { JsonDocument } from "./json-document.ts";
import { reportProblems } from "./strict-problems.ts";

/** A decoded object, and the unknown and duplicate fields of its input. */
export interface Decoded<T> {
  readonly value: T;
  /** Upstream's messages; empty unless they were requested. */
  readonly problems: readonly string[];
}

/**
 * Decodes a document into an object of a kind: unknown fields are dropped, and reported if `strict`. Throws DecodeError
 * if a value is not of its type.
 */
export function decodeJson<T>(
  document: JsonDocument,
  schema: StructSchema,
  strict: boolean,
): Decoded<T> {
  if (document.value === null) return decodeJson({ ...document, value: {} }, schema, strict);
  const repeated = (document.duplicates?.size ?? 0) > 0;
  const state = new DecodeState(strict, document);
  if (strict && repeated) reportProblems(schema, document.value, state);
  if (repeated) state.lenient++;
  const decode = schema.unstructured ? customDecoderOf(schema) : decoderOf(schema);
  const value = decode(document.value, state) as T;
  if (document.duplicates === undefined && state.keys !== document.keys) {
    return decodeJson(document.withDuplicates(), schema, strict);
  }
  state.finish();
  const { problems } = state;
  return { value, problems: schema.unstructured ? inCustomOrder(problems) : problems };
}

/**
 * Custom resources are decoded in steps, so problems are reported in groups: duplicate keys,
 * unknown fields of metadata, then unknown fields of the schema in alphabetical order.
 */
function inCustomOrder(problems: readonly string[]): string[] {
  const duplicate = problems.filter((problem) => problem.startsWith("duplicate "));
  const metadata = problems.filter((problem) => problem.startsWith('unknown field "metadata.'));
  const first = new Set([...duplicate, ...metadata]);
  return [...first, ...problems.filter((problem) => !first.has(problem)).sort()];
}
