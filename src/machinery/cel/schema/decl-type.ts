import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  stringType,
  timestampType,
} from "../type/cel-type.ts";
import { escapeName } from "./escape-name.ts";
import { type JsonSchema, valuesSchema, withTypeAndObjectMeta } from "./json-schema.ts";

/** Limit of a request (bytes), which limits everything without a limit of its own. */
export const maxRequestBytes = 3 * 1024 * 1024;

/**
 * Minimum sizes in JSON (bytes), including quotation marks. Upstream:
 * staging/src/k8s.io/apiserver/pkg/cel/limits.go.
 */
const minSizes = { string: 2, bool: 4, number: 1, duration: 3, date: 12, dateTime: 21 } as const;
const maxSizes = { duration: 32, date: 12, dateTime: 32 } as const;

/** A type with limits for the sizes of its values. */
export interface DeclType {
  readonly type: CelType;
  /** Limit of elements, entries or bytes; 0 for types without a size. */
  readonly maxElements: number;
  /** Minimum size in JSON (bytes). */
  readonly minSerializedSize: number;
  /** The fields of an object, by identifier. */
  readonly fields?: ReadonlyMap<string, DeclType>;
  /** The key type of a map. */
  readonly key?: DeclType;
  /** The element type of a list or map. */
  readonly element?: DeclType;
}

/**
 * The type of a schema's values; undefined if expressions cannot access them. The names of nested
 * object types start with the given name. isRoot: it is the schema of a root object.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/schemas.go.
 */
export function declareSchema(
  schema: JsonSchema,
  { typeName, isRoot = false }: { typeName: string; isRoot?: boolean },
): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    return { type: dynType, maxElements: maxTextBytes(schema), minSerializedSize: 1 };
  }
  const whole = isRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (whole.type) {
    case "array":
      return declareList(whole, typeName);
    case "object": {
      const values = valuesSchema(whole);
      return values === undefined
        ? declareObject(whole, typeName)
        : declareMap(whole, values, typeName);
    }
    case "string":
      return declareText(whole);
    case "boolean":
      return { type: boolType, maxElements: 0, minSerializedSize: minSizes.bool };
    case "number":
      return { type: doubleType, maxElements: 0, minSerializedSize: minSizes.number };
    case "integer":
      return { type: intType, maxElements: 0, minSerializedSize: minSizes.number };
    default:
      return undefined;
  }
}

function declareChild(schema: JsonSchema, typeName: string): DeclType | undefined {
  return declareSchema(schema, {
    typeName,
    isRoot: schema["x-kubernetes-embedded-resource"] === true,
  });
}

function declareList(schema: JsonSchema, typeName: string): DeclType | undefined {
  const element = schema.items && declareChild(schema.items, `${typeName}.@idx`);
  if (element === undefined) return undefined;
  const most = Math.trunc((maxRequestBytes - 2) / (element.minSerializedSize + 1));
  const maxElements = atLeastZero(schema.maxItems) ?? most;
  return { type: listOf(element.type), maxElements, minSerializedSize: 2, element };
}

const textDecl: DeclType = { type: stringType, maxElements: 0, minSerializedSize: minSizes.string };

function declareMap(
  schema: JsonSchema,
  values: JsonSchema,
  typeName: string,
): DeclType | undefined {
  const element = declareChild(values, `${typeName}.@elem`);
  if (element === undefined) return undefined;
  const most = Math.trunc((maxRequestBytes - 2) / (element.minSerializedSize + 6));
  return {
    type: mapOf(stringType, element.type),
    maxElements: atLeastZero(schema.maxProperties) ?? most,
    minSerializedSize: 2,
    key: textDecl,
    element,
  };
}

function declareObject(schema: JsonSchema, typeName: string): DeclType {
  const fields = new Map<string, DeclType>();
  const required = new Set(schema.required);
  let minSerializedSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const identifier = escapeName(name);
    const field = declareChild(property, `${typeName}.${identifier ?? name}`);
    if (field === undefined) continue;
    if (identifier !== undefined) fields.set(identifier, field);
    if (required.has(name) && property.default === undefined) {
      minSerializedSize += Buffer.byteLength(name) + field.minSerializedSize + 4;
    }
  }
  return { type: objectType(typeName), maxElements: 0, minSerializedSize, fields };
}

function declareText(schema: JsonSchema): DeclType {
  switch (schema.format) {
    case "byte": {
      const maxElements = atLeastZero(schema.maxLength) ?? maxRequestBytes - 2;
      return { type: bytesType, maxElements, minSerializedSize: minSizes.string };
    }
    case "duration":
      return {
        type: durationType,
        maxElements: maxSizes.duration,
        minSerializedSize: minSizes.duration,
      };
    case "date":
      return { type: timestampType, maxElements: maxSizes.date, minSerializedSize: minSizes.date };
    case "date-time":
      return {
        type: timestampType,
        maxElements: maxSizes.dateTime,
        minSerializedSize: minSizes.dateTime,
      };
    default:
      return { ...textDecl, maxElements: maxTextBytes(schema) };
  }
}

/**
 * Limit of a string (bytes): four for each allowed character, or the longest value of an
 * enumeration.
 */
function maxTextBytes(schema: JsonSchema): number {
  const max = atLeastZero(schema.maxLength);
  if (max !== undefined) return max * 4;
  if (
    !schema["x-kubernetes-int-or-string"] &&
    schema.enum !== undefined &&
    schema.enum.length > 0
  ) {
    const sizes = schema.enum.map((value) =>
      typeof value === "string" ? Buffer.byteLength(value) : 0,
    );
    return Math.max(...sizes);
  }
  return maxRequestBytes - 2;
}

function atLeastZero(value: number | undefined): number | undefined {
  // JSON integers beyond 2^53 are bigints.
  return value === undefined ? undefined : Math.max(0, Number(value));
}
