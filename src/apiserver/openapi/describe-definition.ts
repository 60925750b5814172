import { descriptionKey, descriptions } from "./descriptions.ts";
import type { Json } from "./open-api.ts";

/** A definition of OpenAPI with the texts of its type and fields, if there are any. */
export function describeDefinition(name: string, schema: Json): Json {
  const key = descriptionKey(name);
  if (key === undefined) return schema;
  const isKind = "x-kubernetes-group-version-kind" in schema;
  const { properties } = schema as { properties?: Readonly<Record<string, Json>> };
  const isList = isKind && properties?.["items"] !== undefined;
  const shared = isList ? "any list" : "any object";
  const text = isList ? sharedText(shared) : descriptions().get(key)?.text;
  const described = Object.entries(properties ?? {}).map(([field, property]) => {
    const description = fieldText(key, field) ?? (isKind ? sharedText(shared, field) : undefined);
    return [field, description ? { description, ...property } : property];
  });
  return {
    ...(text ? { description: text } : {}),
    ...schema,
    ...(properties ? { properties: Object.fromEntries(described) } : {}),
  };
}

/** The text of all objects or lists, whatever their kind, or of a field that all have. */
export function sharedText(of: "any object" | "any list", field?: string): string | undefined {
  const shared = descriptions().get(`meta.${of}`);
  return field === undefined ? shared?.text : shared?.fields.get(field);
}

function fieldText(key: string, field: string): string | undefined {
  const found = descriptions().get(key);
  return found?.fields.get(field) ?? (found?.like ? fieldText(found.like, field) : undefined);
}
