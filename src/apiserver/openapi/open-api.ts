/** A part of an OpenAPI document. */
export type Json = { readonly [key: string]: unknown };

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
