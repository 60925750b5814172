import type { FieldFacts } from "#/api/base/facts.ts";
import type { ScalarSchema, Schema, SpecialType } from "#/api/base/schema.ts";

/**
 * The context of a type expression: the definitions that it may name, and the facts of its field.
 */
interface TypeContext {
  readonly facts: Pick<FieldFacts, "list" | "keys" | "map">;
  /** Finds a definition by its name in a type expression: PodSpec, meta/v1.ObjectMeta. */
  readonly definition: (name: string) => Schema;
}

/**
 * Creates the schema of a type expression (see src/api/base/facts.ts). A pointer is a property of
 * the field, not of the schema.
 */
export function linkType(expression: string, { facts, definition }: TypeContext): Schema {
  return withFieldFacts(linkBare(expression, definition), facts);
}

/** A type with the list and map type of its field, which are not part of the type. */
function withFieldFacts(schema: Schema, { list, keys, map }: TypeContext["facts"]): Schema {
  if (schema.type === "list" && list) {
    return { ...schema, listType: list, declared: true, ...(keys && { keys }) };
  }
  if ((schema.type === "map" || schema.type === "struct") && map) {
    return { ...schema, mapType: map, declared: true };
  }
  return schema;
}

function linkBare(expression: string, definition: TypeContext["definition"]): Schema {
  if (expression.startsWith("*")) return linkBare(expression.slice(1), definition);
  if (expression.startsWith("[]")) {
    return { type: "list", items: linkBare(expression.slice(2), definition), listType: "atomic" };
  }
  if (expression.startsWith("{}")) {
    return { type: "map", values: linkBare(expression.slice(2), definition), mapType: "granular" };
  }
  if (expression === "any") return { type: "any" };
  if (expression.startsWith("jsonSchemaPropsOr"))
    return linkJsonSchema(expression as SpecialType, definition);
  return scalars.get(expression) ?? definition(expression);
}

const scalars: ReadonlyMap<string, ScalarSchema> = new Map(
  Object.entries({
    string: { type: "string" },
    uid: { type: "string", goName: "types.UID" },
    nodeName: { type: "string", goName: "types.NodeName" },
    boolean: { type: "boolean" },
    int32: { type: "integer", format: "int32" },
    int64: { type: "integer", format: "int64" },
    double: { type: "number", format: "double" },
    bytes: { type: "bytes", format: "byte" },
    quantity: { type: "quantity" },
    intOrString: { type: "intOrString", format: "int-or-string" },
    time: { type: "time", format: "date-time" },
    microTime: { type: "microTime", format: "date-time" },
    duration: { type: "duration" },
    rawExtension: { type: "rawExtension" },
    fieldsV1: { type: "fieldsV1" },
    json: { type: "json" },
  } satisfies Record<string, ScalarSchema>),
);

function linkJsonSchema(type: SpecialType, definition: TypeContext["definition"]): Schema {
  const struct = definition("JSONSchemaProps");
  if (struct.type !== "struct") throw new Error("JSONSchemaProps is not a struct");
  return { type, struct };
}
