import type { StructSchema } from "#/api/schema.ts";
import { goFormOf } from "./go-form.ts";
import { inDeepKeyOrder } from "./key-order.ts";
import { type JsonLayout, writeJson } from "./write-json.ts";

/**
 * Writes an object of a kind as upstream's API server does: Go's field order and omissions for built-in kinds, sorted keys
 * for custom resources; a newline at the end unless it is pretty.
 *
 * Upstream: apimachinery/pkg/runtime/serializer/json/json.go.
 */
export function encodeJson(value: unknown, schema: StructSchema, layout: JsonLayout = {}): Buffer {
  const text = jsonText(value, schema, layout);
  return Buffer.from(layout.pretty ? text : `${text}\n`, "utf8");
}

/** The text without the newline. */
export function jsonText(value: unknown, schema: StructSchema, layout: JsonLayout = {}): string {
  const notes = { indexKeys: false };
  const form =
    schema.name === undefined ? inDeepKeyOrder(value, notes) : goFormOf(schema)?.(value, notes);
  return writeJson(form, { ...layout, ...notes });
}
