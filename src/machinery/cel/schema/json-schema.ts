import { memoByIdentity } from "#/std/memory/memo.ts";
/** A structural schema of a custom resource, or a part of one: JSONSchemaProps in wire form. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A rule that values of a schema must satisfy. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
  readonly optionalOldSelf?: boolean;
}

/** The schema of a map's values; undefined if the schema is not that of a map. */
export function valuesSchema({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** The schema of a property; undefined if there is none. */
export function propertySchema({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Limit of an object's name (characters). */
const maxNameLength = 253;

const text: JsonSchema = { type: "string" };

/**
 * The schema of a resource with the common fields: apiVersion, kind, metadata.name and
 * generateName.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model/schemas.go.
 */
export const withTypeAndObjectMeta = memoByIdentity(
  (schema: JsonSchema): JsonSchema => (hasMeta(schema) ? schema : addMeta(schema)),
);

function hasMeta(schema: JsonSchema): boolean {
  const metadata = propertySchema(schema, "metadata");
  return (
    propertySchema(schema, "kind")?.type === "string" &&
    propertySchema(schema, "apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    propertySchema(metadata, "name")?.type === "string" &&
    propertySchema(metadata, "generateName")?.type === "string"
  );
}

function addMeta(schema: JsonSchema): JsonSchema {
  const metadata = propertySchema(schema, "metadata") ?? {};
  const capped = (name: string, max: number): JsonSchema => {
    const own = propertySchema(metadata, name)?.maxLength ?? max;
    return { type: "string", maxLength: Math.min(Number(own), max) };
  };
  const meta: JsonSchema = {
    type: "object",
    properties: {
      name: capped("name", maxNameLength),
      generateName: capped("generateName", maxNameLength - 1),
    },
  };
  return {
    ...schema,
    properties: { ...schema.properties, kind: text, apiVersion: text, metadata: meta },
  };
}
