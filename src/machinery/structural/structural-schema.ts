import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";

/**
 * The structure of a custom resource: its fields and their types, without the rules for values.
 * Created once per version of a CRD. Immutable.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/structural.go,
 * convert.go.
 */
export interface StructuralSchema {
  /** "" where the schema names none. */
  readonly type: string;
  readonly nullable: boolean;
  /** Undefined if there is none; a default of null counts as none. */
  readonly default: unknown;
  readonly items: StructuralSchema | undefined;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  readonly additionalProperties: AdditionalProperties | undefined;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  /** The original schema, which contains the rules for values. */
  readonly source: JSONSchemaProps;
}

/** The rule for fields with other names; without a schema they are only allowed or forbidden. */
interface AdditionalProperties {
  readonly schema: StructuralSchema | undefined;
  readonly allowed: boolean;
}

/** A schema with parts that a structural schema cannot have. */
export class StructuralSchemaError extends Error {
  override readonly name = "StructuralSchemaError";
}

const unsupported = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "definitions",
] as const;

/**
 * Builds a structural schema. Throws StructuralSchemaError for schemas that CRD validation should
 * have rejected.
 */
export function buildStructuralSchema(source: JSONSchemaProps): StructuralSchema {
  checkSupported(source);
  for (const nested of nestedSchemas(source)) checkNested(nested);
  return {
    type: source.type ?? "",
    nullable: source.nullable ?? false,
    default: source.default ?? undefined,
    items: source.items === undefined ? undefined : buildStructuralSchema(itemsOf(source.items)),
    properties: mapProperties(source.properties),
    additionalProperties: buildAdditional(source.additionalProperties),
    preserveUnknown: source["x-kubernetes-preserve-unknown-fields"] ?? false,
    embedded: source["x-kubernetes-embedded-resource"] ?? false,
    intOrString: source["x-kubernetes-int-or-string"] ?? false,
    listType: source["x-kubernetes-list-type"],
    listMapKeys: source["x-kubernetes-list-map-keys"] ?? [],
    mapType: source["x-kubernetes-map-type"],
    source,
  };
}

/** The same schema as that of a root object, which has apiVersion, kind and metadata. */
export function asResourceRoot(schema: StructuralSchema): StructuralSchema {
  return schema.embedded ? schema : { ...schema, embedded: true };
}

/** The fields that every object has independently of its schema. */
export const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of a field of an object with this schema, named or additional. */
export function schemaOfField(
  schema: StructuralSchema | undefined,
  name: string,
): StructuralSchema | undefined {
  return schema?.properties.get(name) ?? schema?.additionalProperties?.schema;
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapProperties(
  properties: Readonly<Record<string, JSONSchemaProps>> | undefined,
): Map<string, StructuralSchema> {
  const entries = Object.entries(properties ?? {});
  return new Map(entries.map(([name, schema]) => [name, buildStructuralSchema(schema)]));
}

function buildAdditional(
  source: JSONSchemaProps["additionalProperties"],
): AdditionalProperties | undefined {
  if (source === undefined) return undefined;
  if (typeof source === "boolean") return { schema: undefined, allowed: source };
  return { schema: buildStructuralSchema(source), allowed: true };
}

/** `items` is one schema; JSON Schema's list of schemas is not allowed. */
export function itemsOf(items: NonNullable<JSONSchemaProps["items"]>): JSONSchemaProps {
  if (!Array.isArray(items)) return items;
  throw new StructuralSchemaError("OpenAPIV3Schema 'items' must be a schema, but is an array");
}

function checkSupported(source: JSONSchemaProps): void {
  for (const name of unsupported) {
    const value = source[name];
    const empty = typeof value === "object" ? Object.keys(value).length === 0 : !value;
    if (!empty) {
      const shown = name === "$schema" ? "schema" : name;
      throw new StructuralSchemaError(`OpenAPIV3Schema '${shown}' is not supported`);
    }
  }
  if (source.additionalItems !== undefined) {
    throw new StructuralSchemaError("OpenAPIV3Schema 'additionalItems' is not supported");
  }
  if (source["x-kubernetes-preserve-unknown-fields"] === false) {
    throw new StructuralSchemaError(
      "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
    );
  }
}

/** The schemas below allOf, anyOf, oneOf and not. */
function nestedSchemas(source: JSONSchemaProps): JSONSchemaProps[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = source;
  return [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
}

function checkNested(source: JSONSchemaProps): void {
  checkSupported(source);
  for (const nested of nestedSchemas(source)) checkNested(nested);
  if (source.items !== undefined) checkNested(itemsOf(source.items));
  for (const schema of Object.values(source.properties ?? {})) checkNested(schema);
  if (typeof source.additionalProperties === "object") checkNested(source.additionalProperties);
}
