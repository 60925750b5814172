import type { Field, ScalarSchema, Schema, StructSchema } from "#/api/base/schema.ts";
import { type DeclType, declareSchema } from "./decl-type.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The type of objects of a built-in kind; the names of nested types start with the given name. */
export function declareKind(schema: StructSchema, typeName: string): DeclType | undefined {
  const kind = jsonSchema(schema, new Set());
  return kind && declareSchema(kind, { typeName, isRoot: true });
}

/**
 * A schema in OpenAPI's form; undefined if expressions cannot access its values. A recursive
 * definition is an object of unknown fields.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/openapi/resolver.
 */
function jsonSchema(schema: Schema, around: ReadonlySet<Schema>): JsonSchema | undefined {
  switch (schema.type) {
    case "struct":
      return structSchema(schema, around);
    case "list": {
      const items = jsonSchema(schema.items, around);
      return items && { type: "array", items };
    }
    case "map": {
      const values = jsonSchema(schema.values, around);
      return values && { type: "object", additionalProperties: values };
    }
    case "any":
      return undefined;
    default:
      return scalarSchema(schema);
  }
}

function structSchema(schema: StructSchema, around: ReadonlySet<Schema>): JsonSchema {
  if (around.has(schema)) return { type: "object" };
  const within = new Set([...around, schema]);
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const field of schema.fields.values()) {
    const property = jsonSchema(field.schema, within);
    if (property === undefined) continue;
    properties[field.name] = property;
    if (field.required && !hasDefault(field)) required.push(field.name);
  }
  return { type: "object", properties, required };
}

const plainTypes: readonly string[] = ["string", "boolean", "integer", "number"];

/** Go writes the zero values of plain types, which are defaults in OpenAPI. */
function hasDefault({ default: value, pointer, omit, schema }: Field): boolean {
  if (value !== undefined) return true;
  return !pointer && omit === "never" && plainTypes.includes(schema.type);
}

function scalarSchema({ type, format, enum: values }: ScalarSchema): JsonSchema | undefined {
  switch (type) {
    case "bytes":
      return { type: "string", format: "byte" };
    case "time":
    case "microTime":
      return { type: "string", format: "date-time" };
    case "duration":
      return { type: "string" };
    case "intOrString":
      return { "x-kubernetes-int-or-string": true };
    case "rawExtension":
    case "fieldsV1":
      return { type: "object" };
    case "string":
    case "boolean":
    case "integer":
    case "number":
      return { type, ...(format !== undefined && { format }), ...(values && { enum: values }) };
    default:
      // Values of several types, such as quantities.
      return undefined;
  }
}
