import {
  isJsonObject,
  type JsonObject,
  ownValue,
  withKey,
  withoutKey,
} from "../patch/values/json-value.ts";

/** An object's metadata; empty if it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = ownValue(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

/** A field of an object's metadata as text; "" if there is none. */
export function metadataText(object: JsonObject, key: string): string {
  const value = ownValue(metadataOf(object), key);
  return typeof value === "string" ? value : "";
}

/** The object with managedFields, or without if there are none. */
export function withManagedFields(
  object: JsonObject,
  entries: readonly JsonObject[] | undefined,
): JsonObject {
  const metadata = metadataOf(object);
  if (entries) return withKey(object, "metadata", withKey(metadata, "managedFields", entries));
  if (!Object.hasOwn(metadata, "managedFields")) return object;
  return withKey(object, "metadata", withoutKey(metadata, "managedFields"));
}

/** An object's annotations that are text; undefined if it has no annotations. */
export function annotationsOf(object: JsonObject): JsonObject | undefined {
  const annotations = ownValue(metadataOf(object), "annotations");
  return isJsonObject(annotations) ? annotations : undefined;
}
