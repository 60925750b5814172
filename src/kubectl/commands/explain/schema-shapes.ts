/** Upstream: staging/src/k8s.io/kubectl/pkg/explain/v2/templates/plaintext.tmpl. */
import type { OpenApiDocument, OpenApiSchema } from "../../discovery/open-api-schema.ts";

/** The schema of a reference; undefined if it has no target. */
export function resolveRef(
  ref: string | undefined,
  document: OpenApiDocument,
): OpenApiSchema | undefined {
  if (!ref?.startsWith("#")) return undefined;
  let found: unknown = document;
  for (const step of ref.slice(1).split("/").filter(Boolean)) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return typeof found === "object" && found !== null ? (found as OpenApiSchema) : undefined;
}

/** The value, unless it is empty. */
export function unlessEmpty<T extends object>(value: T | undefined): T | undefined {
  return value !== undefined && Object.keys(value).length > 0 ? value : undefined;
}

/** The schema of the values of a map. */
export function mapValues({ additionalProperties }: OpenApiSchema): OpenApiSchema | undefined {
  return typeof additionalProperties === "object" ? unlessEmpty(additionalProperties) : undefined;
}

/** The parts of a schema other than properties: alternatives, items, values. */
export function partsOf(schema: OpenApiSchema): OpenApiSchema[] {
  const [items, values] = [unlessEmpty(schema.items), mapValues(schema)];
  return [...(schema.allOf ?? []), ...(items ? [items] : []), ...(values ? [values] : [])];
}

/** The type name of a schema: `string`, `[]Container`, `map[string]string`. */
export function typeName(schema: OpenApiSchema, document: OpenApiDocument): string {
  const items = unlessEmpty(schema.items);
  if (items) return `[]${typeName(items, document)}`;
  const values = mapValues(schema);
  if (values) return `map[string]${typeName(values, document)}`;
  const [only, ...others] = schema.allOf ?? [];
  if (only && others.length === 0 && !unlessEmpty(schema.properties)) {
    return typeName(only, document);
  }
  if (schema.$ref) return refTypeName(schema.$ref, document);
  return schema.type === "object" ? "Object" : schema.type || "Object";
}

function refTypeName(ref: string, document: OpenApiDocument): string {
  const type = unlessEmpty(resolveRef(ref, document))?.type;
  if (type && type !== "object") return type;
  return ref.split("/").at(-1)?.split(".").at(-1) || "Object";
}
