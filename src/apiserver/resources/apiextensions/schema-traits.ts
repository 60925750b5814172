import type { CustomResourceDefinitionSpec, JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { supportedFormat } from "#/machinery/structural/string-formats.ts";

/** Yields a schema and every schema inside it. */
function* allSchemas(schema: JSONSchemaProps): Generator<JSONSchemaProps, void> {
  yield schema;
  const { items, additionalProperties, additionalItems, not } = schema;
  const within = [
    ...(Array.isArray(items) ? items : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    not,
    ...Object.values(schema.properties ?? {}),
    additionalProperties,
    ...Object.values(schema.patternProperties ?? {}),
    additionalItems,
    ...Object.values(schema.definitions ?? {}),
    ...Object.values(schema.dependencies ?? {}),
  ];
  for (const child of within) {
    if (typeof child === "object" && !Array.isArray(child)) yield* allSchemas(child);
  }
}

/** Every schema of every version. */
export function* specSchemas({
  versions = [],
}: CustomResourceDefinitionSpec): Generator<JSONSchemaProps, void> {
  for (const { schema } of versions) {
    if (schema?.openAPIV3Schema) yield* allSchemas(schema.openAPIV3Schema);
  }
}

/** Whether a schema of any version satisfies the predicate. */
export function someSchema(
  spec: CustomResourceDefinitionSpec,
  predicate: (schema: JSONSchemaProps) => boolean,
): boolean {
  for (const schema of specSchemas(spec)) if (predicate(schema)) return true;
  return false;
}

/**
 * Warnings for valid schemas.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go.
 */
export function schemaWarnings(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): string[] {
  const before = new Set(old ? [...formatWarnings(old), ...setWarnings(old)] : []);
  return [...formatWarnings(spec), ...setWarnings(spec)].filter((text) => !before.has(text));
}

function formatWarnings(spec: CustomResourceDefinitionSpec): string[] {
  const warnings: string[] = [];
  for (const { format = "", type = "" } of specSchemas(spec)) {
    if (format === "" || supportedFormat(type === "" ? [] : [type], format) !== "") continue;
    warnings.push(`unrecognized format ${JSON.stringify(format)}`);
  }
  return warnings;
}

function setWarnings(spec: CustomResourceDefinitionSpec): string[] {
  const types = new Set<string>();
  for (const schema of specSchemas(spec)) {
    if (schema["x-kubernetes-list-type"] !== "set" || Array.isArray(schema.items)) continue;
    const { type } = schema.items ?? {};
    if (type === "object" || type === "array") types.add(type);
  }
  return [...types]
    .sort()
    .map(
      (type) =>
        `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`,
    );
}
