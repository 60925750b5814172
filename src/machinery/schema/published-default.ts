import type { Field } from "#/api/base/schema.ts";

/**
 * The default that upstream's OpenAPI has for a field of a built-in kind: the one it is declared with, or the zero value
 * of what Go writes in any case. Server-side apply takes it for a list key that an item leaves out.
 * Upstream: kube-openapi/pkg/generators/openapi.go.
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
