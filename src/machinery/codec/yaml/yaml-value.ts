import type { Scalar } from "yaml";
import { table } from "#/std/base/table.ts";
import { formatShortest } from "#/std/go/float.ts";
import { Base64Error, canonicalBase64 } from "#/std/go/go-base64.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { NumberLiteral } from "../json/json-parser.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { yamlError } from "./yaml-document.ts";
import { type Resolved, resolvePlain } from "./yaml-resolve.ts";

const prefix = "tag:yaml.org,2002:";

/** The type of a scalar by its standard tag. */
const tagTypes: Readonly<Record<string, Resolved["type"]>> = table({
  [`${prefix}bool`]: "boolean",
  [`${prefix}int`]: "integer",
  [`${prefix}float`]: "float",
  [`${prefix}null`]: "null",
  [`${prefix}timestamp`]: "timestamp",
});

const tagNames: Readonly<Record<Resolved["type"], string>> = {
  boolean: "!!bool",
  integer: "!!int",
  float: "!!float",
  null: "!!null",
  timestamp: "!!timestamp",
  string: "!!str",
};

/** Resolves a scalar of a parsed document; a missing scalar is null. Throws DecodeError. */
export function resolveScalar(scalar: Scalar | null): Resolved {
  if (scalar === null) return { type: "null" };
  const text = scalar.source ?? String(scalar.value ?? "");
  const { tag } = scalar;
  if (tag === undefined) {
    return scalar.type === "PLAIN" || scalar.type === undefined
      ? resolvePlain(text)
      : { type: "string", value: text };
  }
  if (tag === `${prefix}binary`) return { type: "string", value: binaryText(text) };
  const expected = tagTypes[tag];
  return expected === undefined ? { type: "string", value: text } : resolveTagged(text, expected);
}

function resolveTagged(text: string, expected: Resolved["type"]): Resolved {
  const resolved = resolvePlain(text);
  if (resolved.type === expected) return resolved;
  if (resolved.type === "integer" && expected === "float") {
    return { type: "float", value: Number(resolved.value) };
  }
  const [found, asked] = [tagNames[resolved.type], tagNames[expected]];
  throw yamlError(`cannot decode ${found} \`${text}\` as a ${asked}`);
}

function binaryText(text: string): string {
  try {
    return Buffer.from(canonicalBase64(text), "base64").toString("utf8");
  } catch (error) {
    if (error instanceof Base64Error)
      throw yamlError("!!binary value contains invalid base64 data");
    throw error;
  }
}

/** The JSON value of a scalar. Throws DecodeError for numbers that JSON does not support. */
export function jsonScalar(resolved: Resolved): unknown {
  switch (resolved.type) {
    case "null":
      return null;
    case "integer":
      return numberOf(String(resolved.value));
    case "float":
      if (!Number.isFinite(resolved.value)) throw unsupported(resolved.value);
      // Go writes floats without a fraction as integers, and JavaScript does the same.
      return numberOf(String(resolved.value));
    default:
      return resolved.value;
  }
}

function numberOf(text: string): number | NumberLiteral {
  const value = Number(text);
  return Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? value : new NumberLiteral(text);
}

function unsupported(value: number): Error {
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  return new DecodeError(`json: unsupported value: ${name}`, "syntax");
}

/** A key of a mapping. */
export interface MapKey {
  /** Identity of the key by goyaml's rules: type and value. */
  readonly id: string;
  /** The key in JSON. */
  readonly name: string;
  /** The key as Go prints it. */
  readonly shown: string;
}

/** Creates a key from a scalar; throws DecodeError for null, which cannot be a JSON key. */
export function mapKey(resolved: Resolved): MapKey {
  const { type } = resolved;
  if (type === "null") {
    throw new DecodeError("unsupported map key of type: %!s(<nil>), key: <nil>", "syntax");
  }
  if (type === "string" || type === "timestamp") {
    return { id: `string ${resolved.value}`, name: resolved.value, shown: goQuote(resolved.value) };
  }
  const name = type === "float" ? floatKey(resolved.value) : String(resolved.value);
  return { id: `${type} ${name}`, name, shown: name };
}

/** Upstream rounds keys to 32 bits. */
function floatKey(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  const rounded = Math.fround(value);
  for (let precision = 1; precision < 9; precision++) {
    const short = Number(value.toPrecision(precision));
    if (Math.fround(short) === rounded) return formatShortest(short);
  }
  return formatShortest(Number(value.toPrecision(9)));
}
