import { memoByIdentity } from "#/std/memory/memo.ts";
import { CelFault } from "../value/cel-fault.ts";
import type { CelResult } from "../value/cel-value.ts";
import {
  type JsonSchema,
  propertySchema,
  valuesSchema,
  withTypeAndObjectMeta,
} from "./json-schema.ts";
import { fromNumberText, goJsonType } from "./json-type.ts";
import { PreservedValue } from "./preserved-value.ts";
import { KeyedSchemaList, SchemaList, SetSchemaList } from "./schema-list.ts";
import { ObjectShape, SchemaMap } from "./schema-map.ts";
import { parseText } from "./text-value.ts";

/** Converts data of a schema to a value. */
export type Converter = (data: unknown) => CelResult;

/**
 * The CEL value of data that conform to a schema. Data that do not conform are a fault when they
 * are used. Lists and objects are not copied.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/valuesunstructured.go.
 */
export function schemaValue(data: unknown, schema: JsonSchema): CelResult {
  return schemaConverter(schema)(data);
}

/** The converter of a schema, created once. */
const schemaConverter: (schema: JsonSchema) => Converter = memoByIdentity((schema) =>
  withNull(schema, makeConverter(schema)),
);

const notNullable = new CelFault("invalid data, got null for schema with nullable=false");

function withNull(schema: JsonSchema, convert: Converter): Converter {
  const ofNull = schema.nullable === true ? null : notNullable;
  return (data) => (data === null || data === undefined ? ofNull : convert(data));
}

function makeConverter(schema: JsonSchema): Converter {
  if (schema["x-kubernetes-int-or-string"]) return convertIntOrString;
  switch (schema.type) {
    case "object":
      return objectConverter(schema);
    case "array":
      return listConverter(schema);
    case "string":
      return (data) => {
        return typeof data === "string"
          ? parseText(data, schema.format)
          : unexpected("string", data);
      };
    case "number":
      return (data) => {
        return typeof data === "number" || typeof data === "bigint"
          ? Number(data)
          : unexpected("float", data);
      };
    case "integer":
      return (data) => fromNumberText(data) ?? unexpected("int", data);
    case "boolean":
      return (data) => (typeof data === "boolean" ? data : unexpected("bool", data));
    default:
      if (schema["x-kubernetes-preserve-unknown-fields"]) return (data) => new PreservedValue(data);
      return () => new CelFault(`${unknownType}, got ${schema.type ?? ""}`);
  }
}

const unknownType =
  "invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true";

function unexpected(type: string, data: unknown): CelFault {
  return new CelFault(`invalid data, expected ${type}, got ${goJsonType(data)}`);
}

function convertIntOrString(data: unknown): CelResult {
  if (typeof data === "string") return data;
  const message = "invalid data, expected XIntOrString value to be either a string or integer";
  return fromNumberText(data) ?? new CelFault(message);
}

function objectConverter(schema: JsonSchema): Converter {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const shape = objectShape(embedded ? withTypeAndObjectMeta(schema) : schema);
  return (data) => {
    if (typeof data !== "object" || data === null || Array.isArray(data)) {
      return new CelFault("invalid data, expected a map for the provided schema with type=object");
    }
    return new SchemaMap(data as Readonly<Record<string, unknown>>, shape);
  };
}

/** The converters of an object's fields: one for each property, or one for all values. */
function objectShape(schema: JsonSchema): ObjectShape {
  if (schema.properties !== undefined) {
    return new ObjectShape("object", (name) => {
      const property = propertySchema(schema, name);
      return property && schemaConverter(property);
    });
  }
  const values = valuesSchema(schema);
  return new ObjectShape("map", () => values && schemaConverter(values));
}

function listConverter(schema: JsonSchema): Converter {
  const { items } = schema;
  const listType = schema["x-kubernetes-list-type"] ?? "atomic";
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return (data) => {
    if (!Array.isArray(data)) {
      return new CelFault(
        "invalid data, expected an array for the provided schema with type=array",
      );
    }
    if (items === undefined) {
      return new CelFault("invalid array type, expected Items with a non-empty Schema");
    }
    const convert = schemaConverter(items);
    if (listType === "map") return new KeyedSchemaList(data, convert, keys);
    if (listType === "set") return new SetSchemaList(data, convert);
    if (listType === "atomic") return new SchemaList(data, convert);
    const expected = "expected 'map', 'set' or 'atomic'";
    return new CelFault(`invalid x-kubernetes-list-type, ${expected} but got ${listType}`);
  };
}
