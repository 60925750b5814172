import type { Field } from "#/api/base/schema.ts";

/**
 * The default of a built-in kind's field in upstream's OpenAPI: the declared default, or the zero
 * value if Go always writes the field. Server-side apply uses it for a list key that an item omits.
 * Upstream: vendor/k8s.io/kube-openapi/pkg/generators/openapi.go.
 */
export function publishedDefault({ default: declared, schema, pointer, omit }: Field): unknown {
  if (declared !== undefined) return declared;
  if (pointer) return undefined;
  if (schema.type === "struct") return {};
  return omit === "never" ? zeros.get(schema.type) : undefined;
}

const zeros: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["string", ""],
  ["boolean", false],
  ["integer", 0],
  ["number", 0],
]);
