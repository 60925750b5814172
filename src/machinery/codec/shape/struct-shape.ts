import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { structName } from "./go-type-name.ts";

/** The output of Go for a field without a value. */
type Unset =
  /** The field is omitted. */
  | "omitted"
  /** null; in memory the field is absent. */
  | "null"
  /** A zero value, which is also present in memory. */
  | "zero";

/** A field of a struct with the facts that follow from Go's rules. */
export interface FieldShape {
  readonly name: string;
  /** The Go name of its struct. */
  readonly structName: string;
  readonly schema: Schema;
  readonly field: Field;
  /** Index in Go's order. */
  readonly index: number;
  readonly unset: Unset;
  /** Creates the zero value for `unset`. */
  readonly zero: () => unknown;
  /** Go omits "", 0, false, [] and {} here. */
  readonly omitsEmpty: boolean;
  /** An empty value in the input is kept in memory, although Go omits it. */
  readonly keepsEmpty: boolean;
}

/** A Go struct: the fields in its order. */
interface StructShape {
  readonly schema: StructSchema;
  readonly fields: readonly FieldShape[];
  readonly byName: ReadonlyMap<string, FieldShape>;
  /** Number of fields that have a zero value when unset. */
  readonly zeros: number;
}

/**
 * The shape of a struct that has a Go type. A decoded value has exactly the fields that Go writes
 * with a value, in Go's order; it has no null, which the encoders write where Go does.
 */
export const shapeOf = memoByIdentity(makeShape, { identity: ({ fields }) => fields });

function makeShape(schema: StructSchema): StructShape {
  const owner = structName(schema.name);
  const fields = [...schema.fields.values()].map((field, index) => fieldShape(field, index, owner));
  return {
    schema,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    zeros: fields.filter(({ unset }) => unset === "zero").length,
  };
}

function fieldShape(field: Field, index: number, owner: string): FieldShape {
  const { name, schema, pointer, omit } = field;
  return {
    name,
    structName: owner,
    schema,
    field,
    index,
    unset: unsetOf(field),
    zero: () => zeroOf(schema),
    omitsEmpty: !pointer && omit !== "never" && canBeEmpty(schema),
    keepsEmpty: keptEmpty.has(`${owner}.${name}`),
  };
}

/**
 * In Go an empty list differs from nil until it is written. Only for these fields does this matter:
 * nil gets a default, and empty is invalid.
 */
const keptEmpty: ReadonlySet<string> = new Set(["HPAScalingRules.policies"]);

function unsetOf({ schema, pointer, omit }: Field): Unset {
  if (pointer || schema.type === "any") return omit === "never" ? "null" : "omitted";
  if (omit === "zero") return "omitted";
  if (canBeEmpty(schema) && omit === "empty") return "omitted";
  return zeroOf(schema) === undefined ? "null" : "zero";
}

/** Whether omitempty has an effect: it has none for Go structs, which include the special types. */
function canBeEmpty({ type }: Schema): boolean {
  return emptiable.has(type);
}

const emptiable: ReadonlySet<string> = new Set([
  "string",
  "boolean",
  "integer",
  "number",
  "bytes",
  "list",
  "map",
]);

/** The zero value of a type in memory; undefined where Go writes null. */
export function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "jsonSchemaPropsOrBool":
      return false;
    case "struct":
      return schema.unstructured ? {} : zeroStruct(shapeOf(schema));
    default:
      return undefined;
  }
}

function zeroStruct({ fields }: StructShape): object {
  const object: Record<string, unknown> = {};
  for (const field of fields) if (field.unset === "zero") object[field.name] = field.zero();
  return object;
}

/**
 * The same fields in Go's order, without undefined and unknown ones, and with the zero values that
 * Go writes.
 */
export function inGoOrder(
  { fields }: StructShape,
  object: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const { name, unset, zero } of fields) {
    const value = object[name];
    if (value !== undefined) ordered[name] = value;
    else if (unset === "zero") ordered[name] = zero();
  }
  return ordered;
}

/**
 * The output of Go for a field: its value, or null or zero if it has none; undefined if Go omits
 * it.
 */
export function writtenValue({ unset, zero, omitsEmpty }: FieldShape, value: unknown): unknown {
  if (value !== undefined && value !== null) {
    return omitsEmpty && isEmpty(value) ? undefined : value;
  }
  if (unset === "omitted") return undefined;
  return unset === "null" ? null : zero();
}

/** Whether omitempty omits a value. */
export function isEmpty(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return value === "";
    case "number":
      return value === 0;
    case "boolean":
      return !value;
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.length === 0;
      for (const _ in value) return false;
      return true;
    default:
      return value === undefined;
  }
}
