import type { FieldFacts } from "#/api/facts.ts";
import type { ScalarSchema, Schema, SpecialType } from "#/api/schema.ts";

/** What a type expression is linked with: the definitions it may name, and what its field says of it. */
export interface TypeContext {
  readonly facts: Pick<FieldFacts, "list" | "keys" | "map">;
  /** Finds a definition by the name in a type expression: PodSpec, meta/v1.ObjectMeta. */
  readonly definition: (name: string) => Schema;
}

/** Makes the schema of a type expression (see src/api/facts.ts). A pointer is a matter of its field, not of the schema. */
export function linkType(expression: string, context: TypeContext): Schema {
  const { facts, definition } = context;
  if (expression.startsWith("*")) return linkType(expression.slice(1), context);
  if (expression.startsWith("[]")) {
    const items = linkType(expression.slice(2), { facts: {}, definition });
    return {
      type: "list",
      items,
      listType: facts.list ?? "atomic",
      ...(facts.keys && { keys: facts.keys }),
    };
  }
  if (expression.startsWith("{}")) {
    const values = linkType(expression.slice(2), { facts: {}, definition });
    return { type: "map", values, mapType: facts.map ?? "granular" };
  }
  const scalar = scalars.get(expression);
  if (scalar) return scalar;
  if (expression === "any") return { type: "any" };
  if (expression.startsWith("jsonSchemaPropsOr"))
    return linkJsonSchema(expression as SpecialType, definition);
  return withFieldFacts(definition(expression), facts);
}

/** A definition as one field has it: list and map types are said at the field, not at the type. */
function withFieldFacts(schema: Schema, { list, keys, map }: TypeContext["facts"]): Schema {
  if (schema.type === "list" && list) return { ...schema, listType: list, ...(keys && { keys }) };
  if ((schema.type === "map" || schema.type === "struct") && map)
    return { ...schema, mapType: map };
  return schema;
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
