import type { Field, Schema } from "#/api/base/schema.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { PatchError } from "../values/patch-error.ts";

/** The facts about a field that a strategic merge patch needs. */
export interface PatchField {
  /** The schema of the field's value, or of the items if it is a list. */
  readonly schema: Schema;
  readonly strategy: "" | "merge" | "replace";
  readonly retainKeys: boolean;
  /** "" for lists of scalars. */
  readonly mergeKey: string;
}

/**
 * Looks up a field that is a map; throws PatchError if it does not exist.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/meta.go,
 * staging/src/k8s.io/apimachinery/third_party/forked/golang/json/fields.go.
 */
export function lookupMapField(schema: Schema, key: string): PatchField {
  return describe(findField(schema, key));
}

/** Looks up a field that is a list; the schema in the result is that of its items. */
export function lookupListField(schema: Schema, key: string): PatchField {
  const field = findField(schema, key);
  if (field.schema.type !== "list") {
    throw new PatchError(500, `expected slice or array type, but got: ${goKind(schema)}`);
  }
  return { ...describe(field), schema: field.schema.items };
}

function findField(schema: Schema, key: string): Field {
  const fields = schema.type === "struct" ? schema.fields : undefined;
  if (!fields && !opaqueStructs.has(schema.type)) {
    const kind = goKind(schema);
    throw new PatchError(
      500,
      `merging an object in json but data type is not struct, instead is: ${kind}`,
    );
  }
  const field = fields?.get(key) ?? foldedField(fields, key);
  if (field) return field;
  throw new PatchError(
    500,
    `unable to find api field in struct ${structName(schema)} for the json field ${goQuote(key)}`,
  );
}

/** Go ignores the case of field names. */
function foldedField(
  fields: ReadonlyMap<string, Field> | undefined,
  key: string,
): Field | undefined {
  const folded = key.toLowerCase();
  return fields?.values().find((field) => field.name.toLowerCase() === folded);
}

function describe({ schema, patchStrategy = "", patchMergeKey = "" }: Field): PatchField {
  const strategies = patchStrategy.split(",");
  const others = strategies.filter((strategy) => strategy !== "retainKeys");
  const strategy = others[0] ?? "";
  return {
    schema,
    strategy: strategy === "merge" || strategy === "replace" ? strategy : "",
    retainKeys: others.length < strategies.length,
    mergeKey: patchMergeKey,
  };
}

const opaqueStructs: ReadonlyMap<string, string> = new Map([
  ["quantity", "Quantity"],
  ["intOrString", "IntOrString"],
  ["time", "Time"],
  ["microTime", "MicroTime"],
  ["duration", "Duration"],
  ["rawExtension", "RawExtension"],
  ["fieldsV1", "FieldsV1"],
  ["json", "JSON"],
  ["jsonSchemaPropsOrBool", "JSONSchemaPropsOrBool"],
  ["jsonSchemaPropsOrArray", "JSONSchemaPropsOrArray"],
  ["jsonSchemaPropsOrStringArray", "JSONSchemaPropsOrStringArray"],
]);

const structName = (schema: Schema): string =>
  schema.type === "struct"
    ? (schema.name?.split(".").at(-1) ?? "")
    : (opaqueStructs.get(schema.type) ?? "");

/** The kind of the Go type behind a schema. */
export function goKind(schema: Schema): string {
  switch (schema.type) {
    case "list":
    case "bytes":
      return "slice";
    case "boolean":
      return "bool";
    case "integer":
      return schema.format ?? "int64";
    case "number":
      return "float64";
    case "any":
      return "interface";
    case "map":
    case "struct":
    case "string":
      return schema.type;
    default:
      return "struct";
  }
}
