import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { findDefinition } from "../schema/definitions.ts";
import { asResourceRoot, type StructuralSchema } from "./structural-schema.ts";

/**
 * The schema of a custom resource in the form of built-in kinds, which is used for decoding,
 * patches, server-side apply and OpenAPI.
 */
export function toApiSchema(schema: StructuralSchema): StructSchema {
  return structSchema(asResourceRoot(schema));
}

function valueSchema(schema: StructuralSchema): Schema {
  const nullable = schema.nullable ? { nullable: true } : {};
  if (schema.intOrString) return { type: "intOrString", ...nullable };
  switch (schema.type) {
    case "object":
      return objectSchema(schema);
    case "array":
      return {
        type: "list",
        items: schema.items === undefined ? { type: "any" } : valueSchema(schema.items),
        listType: listTypeOf(schema),
        ...(schema.listType === undefined ? {} : { declared: true }),
        ...(schema.listType === "map" ? { keys: schema.listMapKeys } : {}),
        ...nullable,
      };
    case "string":
    case "boolean":
    case "integer":
    case "number":
      return { type: schema.type, ...formatOf(schema), ...nullable };
    default:
      return { type: "any", ...nullable };
  }
}

function listTypeOf({ listType }: StructuralSchema): "atomic" | "set" | "map" {
  return listType === "set" || listType === "map" ? listType : "atomic";
}

function formatOf({ source: { format, enum: allowed } }: StructuralSchema) {
  const texts = allowed?.filter((value) => typeof value === "string");
  return { ...(format ? { format } : {}), ...(texts && texts.length > 0 ? { enum: texts } : {}) };
}

function objectSchema(schema: StructuralSchema): Schema {
  const { additionalProperties, nullable } = schema;
  if (additionalProperties === undefined || schema.embedded) return structSchema(schema);
  const { schema: values } = additionalProperties;
  return {
    type: "map",
    values: values === undefined ? { type: "any" } : valueSchema(values),
    ...mapTypeOf(schema),
    ...(nullable ? { nullable: true } : {}),
  };
}

function mapTypeOf({ mapType }: StructuralSchema) {
  const type: "atomic" | "granular" = mapType === "atomic" ? "atomic" : "granular";
  return { mapType: type, ...(mapType === undefined ? {} : { declared: true }) };
}

function structSchema(schema: StructuralSchema): StructSchema {
  const required = new Set(schema.source.required);
  const fields = new Map<string, Field>(schema.embedded ? metaFields() : []);
  for (const [name, property] of schema.properties) {
    if (fields.has(name)) continue;
    fields.set(name, {
      name,
      schema: valueSchema(property),
      required: required.has(name),
      omit: "empty",
      pointer: true,
      ...(property.default === undefined ? {} : { default: property.default }),
    });
  }
  return {
    type: "struct",
    unstructured: true,
    fields,
    ...mapTypeOf(schema),
    ...(schema.preserveUnknown ? { preserveUnknown: true } : {}),
    ...(schema.embedded ? { embedded: true } : {}),
    ...(schema.nullable ? { nullable: true } : {}),
  };
}

/** The fields that every object has; metadata is decoded as in Go. */
function metaFields(): [string, Field][] {
  const metadata = findDefinition("meta/v1", "ObjectMeta");
  if (metadata === undefined) throw new Error("meta/v1 has no ObjectMeta");
  const field = (name: string, schema: Schema): [string, Field] => [
    name,
    { name, schema, required: false, omit: "empty", pointer: true },
  ];
  return [
    field("apiVersion", { type: "string" }),
    field("kind", { type: "string" }),
    field("metadata", metadata),
  ];
}
