import { DecodeState } from "./decode-state.ts";
import { parseJson } from "./json-document.ts";
import { NumberLiteral } from "./json-parser.ts";
import { int64Of } from "./json-scalars.ts";

/** The number of object keys in a value, at all levels. */
export function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
  } else if (!(value instanceof NumberLiteral)) {
    for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  }
  return count;
}

/**
 * Decodes a value without a schema: integers of 64 bits are exact, all other numbers are doubles.
 */
export function decodeRaw(value: unknown, state: DecodeState): unknown {
  state.keys += countKeys(value);
  return state.duplicates === undefined ? value : withoutLiterals(value, state);
}

/** Parses a JSON text without a schema. Throws DecodeError. */
export function parseRawJson(bytes: Uint8Array): unknown {
  const document = parseJson(bytes);
  if (document.duplicates === undefined) return document.value;
  const state = new DecodeState(false, document);
  const value = decodeRaw(document.value, state);
  state.finish();
  return value;
}

function withoutLiterals(value: unknown, state: DecodeState): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof NumberLiteral) return numberOf(value, state);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withoutLiterals(value[i], state);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    const item = object[key];
    if (typeof item === "object") object[key] = withoutLiterals(item, state);
  }
  return object;
}

function numberOf(literal: NumberLiteral, state: DecodeState): unknown {
  const integer = int64Of(literal);
  if (integer !== undefined) return integer;
  const number = Number(literal.text);
  return Number.isFinite(number) ? number : state.outOfRange(literal, { type: "number" });
}
