import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { structName } from "./go-type-name.ts";

/** What Go writes for a field that has no value. */
type Unset =
  /** Nothing: the field is left out. */
  | "omitted"
  /** null; in memory the field is absent. */
  | "null"
  /** A zero value, which is there in memory too. */
  | "zero";

/** A field of a struct with what follows from Go's rules for it. */
export interface FieldShape {
  readonly name: string;
  /** The Go name of the struct it belongs to. */
  readonly structName: string;
  readonly schema: Schema;
  readonly field: Field;
  /** Place in Go's order. */
  readonly index: number;
  readonly unset: Unset;
  /** Makes the zero value that goes with `unset`. */
  readonly zero: () => unknown;
  /** Go leaves out "", 0, false, [] and {} here. */
  readonly omitsEmpty: boolean;
  /** An empty value that was sent is there in memory, although Go leaves it out. */
  readonly keepsEmpty: boolean;
}

/** A struct of Go: the fields in its order. */
interface StructShape {
  readonly schema: StructSchema;
  readonly fields: readonly FieldShape[];
  readonly byName: ReadonlyMap<string, FieldShape>;
  /** How many fields have a zero value when unset. */
  readonly zeros: number;
}

/**
 * The shape of a struct that has a Go type. A decoded value of it has every field that Go writes with a value, in Go's
 * order, and no other; it has no null, which the encoders write where Go does.
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
 * In Go every list that is empty differs from none as long as it has not been written. What is done with objects doesn't
 * tell them apart but for these fields: they are left to their defaults only when there is none, and must not be empty.
 */
const keptEmpty: ReadonlySet<string> = new Set(["HPAScalingRules.policies"]);

function unsetOf({ schema, pointer, omit }: Field): Unset {
  if (pointer || schema.type === "any") return omit === "never" ? "null" : "omitted";
  if (omit === "zero") return "omitted";
  if (canBeEmpty(schema) && omit === "empty") return "omitted";
  return zeroOf(schema) === undefined ? "null" : "zero";
}

/** Whether omitempty has a meaning: it has none for Go's structs, to which the special types belong. */
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

/** The zero value of a type as it is in memory; undefined where Go writes null. */
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

/** The same fields in Go's order, without those that are undefined or unknown, and with the zero values that Go writes. */
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

/** What Go writes of a field: its value, or null or zero where it has none; undefined if Go leaves it out. */
export function writtenValue({ unset, zero, omitsEmpty }: FieldShape, value: unknown): unknown {
  if (value !== undefined && value !== null) {
    return omitsEmpty && isEmpty(value) ? undefined : value;
  }
  if (unset === "omitted") return undefined;
  return unset === "null" ? null : zero();
}

/** Whether a value is one that omitempty leaves out. */
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
