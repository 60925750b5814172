import type { ScalarSchema } from "#/api/base/schema.ts";
import { table } from "#/std/base/table.ts";
import { Base64Error, canonicalBase64 } from "#/std/go/go-base64.ts";
import { DurationError, formatNanos, parseNanos } from "#/std/go/nanoseconds.ts";
import { QuantityError } from "../../values/quantity.ts";
import { canonicalQuantity } from "../shape/canonical-quantity.ts";
import {
  formatTime,
  isPlainTime,
  parseTime,
  rfc3339,
  rfc3339Micro,
  TimeError,
  type TimeLayout,
  zeroTimeSeconds,
} from "../shape/go-time.ts";
import { goTypeName } from "../shape/go-type-name.ts";
import type { DecodeState } from "./decode-state.ts";
import { jsonTypeName } from "./json-document.ts";
import { NumberLiteral } from "./json-parser.ts";

/** Converts a non-null JSON value to Go's value, in memory form; undefined if that is empty. */
export type Decode = (value: unknown, state: DecodeState) => unknown;

/** Makes the decoder of a scalar or of a type that Go decodes from one. */
export function scalarDecoder(schema: ScalarSchema): Decode {
  switch (schema.type) {
    case "string":
      return (value, state) => (typeof value === "string" ? value : state.mismatch(value, schema));
    case "boolean":
      return (value, state) => (typeof value === "boolean" ? value : state.mismatch(value, schema));
    case "integer":
      return integerDecoder(schema);
    case "number":
      return (value, state) => decodeNumber(value, state, schema);
    case "bytes":
      return (value, state) => decodeBytes(value, state, schema);
    case "quantity":
      return decodeQuantity;
    case "intOrString":
      return decodeIntOrString;
    case "time":
      return timeDecoder(rfc3339);
    case "microTime":
      return timeDecoder(rfc3339Micro);
    case "duration":
      return decodeDuration;
    default:
      throw new Error(`${schema.type} is no scalar`);
  }
}

const ranges: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = table({
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
});

function integerDecoder(schema: ScalarSchema): Decode {
  const [min, max] = ranges[schema.format ?? "int64"] ?? [-(2n ** 63n), 2n ** 63n - 1n];
  return (value, state) => {
    const number = integerOf(value);
    if (number !== undefined && number >= min && number <= max) return number;
    const numeric = typeof value === "number" || typeof value === "bigint";
    if (numeric || value instanceof NumberLiteral) return state.outOfRange(value, schema);
    return state.mismatch(value, schema);
  };
}

/** Limit of an integer's text (characters): 64 bits take 19 digits and a sign. */
const maxIntegerText = 20;

/**
 * A number for a safe integer and a bigint above; undefined for values that Go does not accept as
 * an integer.
 */
function integerOf(value: unknown): number | bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (!(value instanceof NumberLiteral) || !/^-?\d+$/.test(value.text)) return undefined;
  return value.text.length > maxIntegerText ? undefined : integerOf(BigInt(value.text));
}

/** The value as an integer, if it fits 64 bits. */
export function int64Of(value: unknown): number | bigint | undefined {
  const integer = integerOf(value);
  return typeof integer === "bigint" && BigInt.asIntN(64, integer) !== integer
    ? undefined
    : integer;
}

function decodeNumber(value: unknown, state: DecodeState, schema: ScalarSchema): unknown {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (!(value instanceof NumberLiteral)) return state.mismatch(value, schema);
  const number = Number(value.text);
  return Number.isFinite(number) ? number : state.outOfRange(value, schema);
}

/** Go also accepts an array of numbers. */
function decodeBytes(value: unknown, state: DecodeState, schema: ScalarSchema): unknown {
  if (
    Array.isArray(value) &&
    value.every((item) => Number.isInteger(item) && (item & 255) === item)
  ) {
    return Buffer.from(value).toString("base64");
  }
  if (typeof value !== "string") return state.mismatch(value, schema);
  try {
    return canonicalBase64(value);
  } catch (error) {
    if (error instanceof Base64Error) return state.fail(error.message);
    throw error;
  }
}

function decodeQuantity(value: unknown, state: DecodeState): unknown {
  const text = value instanceof NumberLiteral ? value.text : goText(value);
  return translated(() => canonicalQuantity(text.trim()), state);
}

/** Go passes the JSON text, without quotes, to a quantity's decoder. */
function goText(value: unknown): string {
  return typeof value === "string"
    ? value
    : typeof value === "object"
      ? jsonTypeName(value)
      : String(value);
}

const int32: ScalarSchema = { type: "integer", format: "int32" };
const decodeInt32 = integerDecoder(int32);

function decodeIntOrString(value: unknown, state: DecodeState): unknown {
  if (typeof value === "string") return value;
  if (jsonTypeName(value) !== "number") return refuse(value, int32, state);
  return decodeInt32(value, state);
}

const string: ScalarSchema = { type: "string" };

function timeDecoder(layout: TimeLayout): Decode {
  return (value, state) => {
    if (typeof value !== "string") return refuse(value, string, state);
    if (isPlainTime(value, layout) && !value.startsWith("0001-")) return value;
    const time = translated(() => parseTime(value, layout), state);
    const isZero = time.seconds === zeroTimeSeconds && time.nanos === 0;
    return isZero ? undefined : formatTime(time, layout);
  };
}

function decodeDuration(value: unknown, state: DecodeState): unknown {
  if (typeof value !== "string") return refuse(value, string, state);
  return translated(() => formatNanos(parseNanos(value)), state);
}

/** A value of a wrong type for a type with its own decoder; its error stops the decoding. */
const refuse = (value: unknown, schema: ScalarSchema, state: DecodeState): never =>
  state.abort(state.typeMessage(jsonTypeName(value), goTypeName(schema)));

function translated<T>(parse: () => T, state: DecodeState): T {
  try {
    return parse();
  } catch (error) {
    const known =
      error instanceof QuantityError ||
      error instanceof TimeError ||
      error instanceof DurationError;
    if (known) return state.abort(error.message);
    throw error;
  }
}
