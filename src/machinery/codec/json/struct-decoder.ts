import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { type FieldShape, inGoOrder, isEmpty, shapeOf } from "../shape/struct-shape.ts";
import type { DecodeState } from "./decode-state.ts";
import { mergeDuplicates } from "./duplicate-fields.ts";
import { NumberLiteral } from "./json-parser.ts";
import type { Decode } from "./json-scalars.ts";
import { countKeys } from "./raw-decoder.ts";

/** A field with its decoder, and the type of values for which the decoder is not needed. */
interface FieldDecoder {
  readonly shape: FieldShape;
  readonly index: number;
  readonly decode: Decode;
  readonly quick: "string" | "boolean" | "integer" | undefined;
}

type Fields = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberLiteral)
  );
}

/**
 * Creates the decoder of a struct that has a Go type. Objects in Go's order with nothing to add or
 * drop, such as the server's own, are kept; others are rebuilt.
 */
export function structDecoder(schema: StructSchema, decoderOf: (schema: Schema) => Decode): Decode {
  const shape = shapeOf(schema);
  const decoders = new Map(
    shape.fields.map((field) => [field.name, fieldDecoder(field, decoderOf)]),
  );

  return (value, state) => {
    if (!isObject(value)) return state.mismatch(value, schema);
    const repeated = state.duplicates?.get(value);
    const object = repeated === undefined ? value : mergeDuplicates(schema, repeated);
    let last = -1;
    let zeros = 0;
    let canonical = true;
    for (const key in object) {
      state.keys++;
      const field = decoders.get(key);
      if (field === undefined) {
        state.unknown(key);
        state.keys += countKeys(object[key]);
        canonical = false;
        continue;
      }
      if (field.index < last) canonical = false;
      last = field.index;
      if (!isQuick(field, object[key]) && !decodeField(field, object, state)) canonical = false;
      else if (field.shape.unset === "zero") zeros++;
    }
    return canonical && zeros === shape.zeros ? object : inGoOrder(shape, object);
  };
}

function fieldDecoder(shape: FieldShape, decoderOf: (schema: Schema) => Decode): FieldDecoder {
  const { schema, index } = shape;
  const { type } = schema;
  const quick = type === "string" || type === "boolean" || type === "integer" ? type : undefined;
  return { shape, index, quick, decode: decoderOf(schema) };
}

/** Fast path without a call: a non-empty scalar of the right type. */
function isQuick({ quick }: FieldDecoder, value: unknown): boolean {
  switch (quick) {
    case "string":
      return typeof value === "string" && value !== "";
    case "boolean":
      return value === true;
    case "integer":
      return typeof value === "number" && (value | 0) === value && value !== 0;
    default:
      return false;
  }
}

/** Decodes a field in place; false if the result is absent. */
function decodeField({ shape, decode }: FieldDecoder, object: Fields, state: DecodeState): boolean {
  const before = object[shape.name];
  let after: unknown;
  if (before !== null) {
    state.path.push(shape);
    after = decode(before, state);
    state.path.pop();
    if (shape.omitsEmpty && !shape.keepsEmpty && isEmpty(after)) after = undefined;
  }
  if (after !== before) object[shape.name] = after;
  return after !== undefined;
}
