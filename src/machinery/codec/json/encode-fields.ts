import type { StructSchema } from "#/api/base/schema.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { longLivedBytes } from "#/std/memory/long-lived-bytes.ts";
import { type FieldShape, shapeOf, writtenValue } from "../shape/struct-shape.ts";
import { valueSteps } from "./encode-json.ts";

/** The position of a field's value in an object's JSON, in bytes from the end. */
export interface FieldPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The JSON of an object of a built-in kind, without a newline. */
export interface EncodedObject {
  readonly bytes: Uint8Array;
  /** The positions of fields that are large enough to reuse. */
  readonly places: readonly FieldPlace[];
}

/** Looks up the bytes that were written before for a field with the same value instance. */
export type WrittenField = (name: string, value: unknown) => Uint8Array | undefined;

/** Lower limit of a field's size (bytes) from which its bytes are reused. */
const rememberedBytes = 512;

interface Piece {
  readonly name: string;
  /** The key with its punctuation before and after. */
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly valueBytes: number;
}

/** Writes an object as jsonText() does, but reuses bytes that were written before. */
export function encodeFields(
  object: object,
  schema: StructSchema,
  written: WrittenField = () => undefined,
): EncodedObject {
  return runSteps(encodeFieldSteps(object, schema, written));
}

/** The same in steps, for large objects. */
export function* encodeFieldSteps(
  object: object,
  schema: StructSchema,
  written: WrittenField = () => undefined,
): Steps<EncodedObject> {
  const pieces: Piece[] = [];
  let total = 2;
  for (const field of shapeOf(schema).fields) {
    const { name } = field;
    const current = (object as Record<string, unknown>)[name];
    if (current === undefined && field.unset === "omitted") continue;
    const value = written(name, current) ?? (yield* fieldSteps(field, current));
    if (value === undefined) continue;
    const key = `${pieces.length === 0 ? "" : ","}"${name}":`;
    const valueBytes = typeof value === "string" ? Buffer.byteLength(value) : value.length;
    pieces.push({ name, key, value, valueBytes });
    total += key.length + valueBytes;
  }
  return join(pieces, total);
}

function* fieldSteps(field: FieldShape, value: unknown): Steps<string | undefined> {
  const written = writtenValue(field, value);
  if (written === undefined) return undefined;
  yield;
  return written === null ? "null" : yield* valueSteps(written, field.schema);
}

function join(pieces: readonly Piece[], total: number): EncodedObject {
  const bytes = longLivedBytes(total);
  const places: FieldPlace[] = [];
  let end = bytes.write("{");
  for (const { name, key, value, valueBytes } of pieces) {
    const start = end + key.length;
    bytes.write(key, end);
    if (typeof value === "string") bytes.write(value, start);
    else bytes.set(value, start);
    end = start + valueBytes;
    if (valueBytes < rememberedBytes) continue;
    places.push({ name, start: total - start, end: total - end });
  }
  bytes.write("}", end);
  return { bytes, places };
}
