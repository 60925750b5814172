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
  const found = definition(expression);
  return facts.map && found.type === "struct" ? { ...found, mapType: facts.map } : found;
}

const scalars: ReadonlyMap<string, ScalarSchema> = new Map(
  Object.entries({
    string: { type: "string" },
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
