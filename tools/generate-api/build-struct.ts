import type { FieldFacts, StructFacts } from "../../src/api/base/facts.ts";
import type { GoExpression, GoField, GoMarkers } from "./go-types.ts";
import type { Resolved } from "./resolve-type.ts";

/** How a struct's fields find what lies outside of it. */
export interface Lookup {
  /** Writes a Go type as a type expression. */
  readonly type: (expression: GoExpression) => string;
  readonly constant: (path: string, name: string) => string;
}

/** The facts of a struct, from the tags and markers of its fields. */
export function buildStruct(struct: Resolved & { kind: "struct" }, lookup: Lookup): StructFacts {
  const where = `${struct.home.path}.${struct.name}`;
  const entries = struct.fields.flatMap((field) => buildField(field, where, lookup));
  const map = single(struct.home.types.get(struct.name)?.markers, "structType", where);
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length !== entries.length)
    throw new Error(`${where} has two fields of one name`);
  return { ...(map && { map: map as "atomic" }), fields };
}

function buildField(field: GoField, struct: string, lookup: Lookup): [string, FieldFacts][] {
  const where = `${struct}.${field.name}`;
  const json = field.tags.get("json");
  if (json === "-") return [];
  if (json === undefined) throw new Error(`${where} has no json tag`);
  const [name = "", ...options] = json.split(",");
  const number = protobufNumber(field, where);
  if (field.embedded && name === "")
    return [[`...${lookup.type(field.type)}`, number === undefined ? {} : { number }]];
  if (name === "") throw new Error(`${where} has no JSON name`);
  const type = lookup.type(field.type);
  const preset = defaultOf(
    field,
    { where, path: struct.slice(0, struct.lastIndexOf(".")) },
    lookup,
  );
  return [[name, { ...fieldFacts(field, { where, options, number, type }), ...preset }]];
}

interface FieldContext {
  readonly where: string;
  readonly options: readonly string[];
  readonly number: number | undefined;
  readonly type: string;
}

function fieldFacts(
  { tags, markers }: GoField,
  { where, options, number, type }: FieldContext,
): FieldFacts {
  const omitEmpty = options.includes("omitempty");
  const omitZero = options.includes("omitzero");
  const required = markers.has("required") || !(markers.has("optional") || omitEmpty || omitZero);
  const omit = omitZero ? "zero" : omitEmpty ? undefined : "never";
  const list = single(markers, "listType", where);
  const map = single(markers, "mapType", where) ?? single(markers, "structType", where);
  const keys = markers.get("listMapKey");
  const patchStrategy = tags.get("patchStrategy");
  const patchMergeKey = tags.get("patchMergeKey");
  return {
    type,
    ...(number !== undefined && { number }),
    ...(required && { required }),
    ...(omit && { omit }),
    ...(list && { list: list as "atomic" }),
    ...(keys && { keys }),
    ...(map && { map: map as "atomic" }),
    ...(patchStrategy && { patchStrategy }),
    ...(patchMergeKey && { patchMergeKey }),
  };
}

/** The +default marker: a JSON value, or `ref(Constant)`, with a package before the name if it is another one's. */
function defaultOf(
  { markers }: GoField,
  { where, path }: { where: string; path: string },
  { constant }: Lookup,
): Pick<FieldFacts, "default"> {
  const text = single(markers, "default", where);
  if (text === undefined) return {};
  const [, otherPath, name] = /^ref\((?:(.+)\.)?(\w+)\)$/.exec(text) ?? [];
  return { default: name ? constant(otherPath ?? path, name) : JSON.parse(text) };
}

/** The number in a tag such as `bytes,1,opt,name=metadata`; absent where protobuf leaves the field out. */
function protobufNumber({ tags }: GoField, where: string): number | undefined {
  const tag = tags.get("protobuf");
  if (tag === undefined || tag === "-") return undefined;
  const number = Number(tag.split(",")[1]);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${where} has the protobuf tag "${tag}"`);
  return number;
}

function single(markers: GoMarkers | undefined, name: string, where: string): string | undefined {
  const values = new Set(markers?.get(name));
  if (values.size > 1) throw new Error(`${where} has several +${name}`);
  return [...values][0];
}
