import type { ListSchema, MapSchema, Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { inKeyOrder, type OrderNotes } from "../shape/key-order.ts";
import { type FieldShape, isEmpty, shapeOf, writtenValue } from "../shape/struct-shape.ts";
import { writeJson } from "./write-json.ts";

/**
 * Converts a value to the form that Go writes; returns the same instance if nothing changes.
 * Undefined: no conversion is needed.
 */
export type ToGoForm = ((value: unknown, notes: OrderNotes) => unknown) | undefined;

type Fields = Record<string, unknown>;

/**
 * The function that converts a value in memory to the form that Go's JSON encoder would write:
 * fields in Go's order, empty ones omitted, null and zero values where Go has them, maps sorted.
 * Copies only the parts that change; the input is not modified.
 */
export const goFormOf: (schema: Schema) => ToGoForm = memoByIdentity(compile, {
  // A type may be recursive: until it is compiled, references look it up when they are used.
  meanwhile: (schema) => (value, notes) => goFormOf(schema)?.(value, notes) ?? value,
});

function compile(schema: Schema): ToGoForm {
  switch (schema.type) {
    case "struct":
      return structForm(schema);
    case "list":
      return listForm(schema);
    case "map":
      return mapForm(schema);
    case "jsonSchemaPropsOrBool":
    case "jsonSchemaPropsOrArray":
    case "jsonSchemaPropsOrStringArray":
      return schema.struct && jsonSchemaForm(schema.struct);
    case "fieldsV1":
      return markedForm;
    default:
      return undefined;
  }
}

/** Field sets are shared by many objects and are half of a pod's JSON: each is encoded once. */
const fieldsText = memoByIdentity((fields: object) => writeJson(fields));

function markedForm(value: unknown, { marked }: OrderNotes): unknown {
  if (!marked || typeof value !== "object" || value === null) return value;
  marked.texts.push(fieldsText(value));
  return marked.mark;
}

function structForm(schema: StructSchema): ToGoForm {
  const shape = shapeOf(schema);
  const forms = new Map(
    shape.fields.map((field) => [field.name, { field, toGoForm: goFormOf(field.schema) }]),
  );
  const always = shape.fields.filter(({ unset }) => unset !== "omitted").length;
  return (value, notes) => {
    const object = value as Fields;
    let copy: Fields | undefined;
    let last = -1;
    let written = 0;
    let ordered = true;
    for (const key in object) {
      const form = forms.get(key);
      const before = object[key];
      if (form === undefined || before === undefined || before === null) {
        ordered = false;
        continue;
      }
      const { field, toGoForm } = form;
      if (field.index < last) ordered = false;
      last = field.index;
      if (field.unset !== "omitted") written++;
      else if (field.omitsEmpty && isEmpty(before)) ordered = false;
      if (toGoForm === undefined) continue;
      const after = toGoForm(before, notes);
      if (after === before) continue;
      copy ??= { ...object };
      copy[key] = after;
    }
    const result = copy ?? object;
    return ordered && written === always ? result : rebuild(shape.fields, result, notes);
  };
}

function rebuild(fields: readonly FieldShape[], object: Fields, notes: OrderNotes): Fields {
  const rebuilt: Fields = {};
  for (const field of fields) {
    const value = object[field.name];
    const written = writtenValue(field, value);
    if (written === undefined) continue;
    const isZero = written !== value && written !== null;
    rebuilt[field.name] = isZero ? (goFormOf(field.schema)?.(written, notes) ?? written) : written;
  }
  return rebuilt;
}

function listForm({ items }: ListSchema): ToGoForm {
  const toGoForm = goFormOf(items);
  if (toGoForm === undefined) return undefined;
  return (value, notes) => {
    const list = value as unknown[];
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const before = list[i];
      const after = before === null ? null : toGoForm(before, notes);
      if (after === before) continue;
      copy ??= [...list];
      copy[i] = after;
    }
    return copy ?? list;
  };
}

function mapForm({ values }: MapSchema): ToGoForm {
  const toGoForm = goFormOf(values);
  return (value, notes) => {
    const sorted = inKeyOrder(value as Fields, notes);
    if (toGoForm === undefined) return sorted;
    let copy: Fields | undefined;
    for (const key in sorted) {
      const before = sorted[key];
      const after = before === null ? null : toGoForm(before, notes);
      if (after === before) continue;
      copy ??= { ...sorted };
      copy[key] = after;
    }
    return copy ?? sorted;
  };
}

function jsonSchemaForm(struct: StructSchema): ToGoForm {
  const ofStruct = goFormOf(struct);
  const ofList = goFormOf({ type: "list", items: struct, listType: "atomic" });
  return (value, notes) => {
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value)) return ofStruct?.(value, notes);
    return typeof value[0] === "string" ? value : ofList?.(value, notes);
  };
}
