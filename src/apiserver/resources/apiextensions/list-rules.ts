import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { type FieldError, forbidden, invalid, required } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { shownSchema } from "./shown-spec.ts";

/**
 * Rules for lists that are sets or maps.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */

/** The schema of a list's items; undefined if there is none or if it is a list of schemas. */
function itemsSchema({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return Array.isArray(items) ? undefined : items;
}

/** Items of a set are compared as a whole, so they must be atomic. */
export function validateSetItems(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const items = itemsSchema(schema);
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  const shown = listType ?? null;
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(path.child("items").child("x-kubernetes-list-type"), shown, detail)];
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(path.child("items").child("x-kubernetes-map-type"), shown, detail)];
  }
  return [];
}

/** The keys of a list of type map must be scalar properties that every item has. */
export function validateListMapKeys(
  schema: JSONSchemaProps,
  path: FieldPath,
  strict: boolean,
): FieldError[] {
  const errors = schema["x-kubernetes-list-type"] === "map" ? validateMapItems(schema, path) : [];
  return strict ? [...errors, ...validateKeyPresence(schema, path)] : errors;
}

function validateMapItems(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = path.child("x-kubernetes-list-map-keys");
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  }
  const items = itemsSchema(schema);
  const itemsPath = path.child("items");
  if (schema.items === undefined) {
    errors.push(required(itemsPath, "must have a schema if x-kubernetes-list-type is map"));
  }
  if (Array.isArray(schema.items)) {
    const shown = { Schema: null, JSONSchemas: schema.items.map(shownSchema) };
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(invalid(itemsPath, shown, detail));
  }
  if (items === undefined) return errors;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(itemsPath.child("type"), items.type ?? "", detail)];
  }
  return [...errors, ...validateKeys(keys, items, path)];
}

function validateKeys(
  keys: readonly string[],
  items: JSONSchemaProps,
  path: FieldPath,
): FieldError[] {
  const at = path.child("x-kubernetes-list-map-keys");
  const errors: FieldError[] = [];
  const repeated = repeatedIndices(keys);
  for (const [index, key] of keys.entries()) {
    const property = propertyOf(items, key);
    if (property === undefined) {
      errors.push(invalid(at, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const typePath = path.child("items").child("properties").key(key).child("type");
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(typePath, items.type, detail));
    }
    if (repeated.has(index)) {
      errors.push(invalid(at, keys, "must not contain duplicate entries"));
    }
  }
  return errors;
}

function validateKeyPresence(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const items = itemsSchema(schema);
  const listType = schema["x-kubernetes-list-type"];
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(path.child("items").child("nullable"), detail));
  }
  if (listType === "set") return errors;
  const requiredKeys = new Set(items.required);
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = path.child("items").child("properties").key(key);
    if (!requiredKeys.has(key) && (property.default ?? undefined) === undefined) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(at.child("default"), detail));
    }
    if (property.nullable) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbidden(at.child("nullable"), detail));
    }
  }
  return errors;
}

function propertyOf({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
