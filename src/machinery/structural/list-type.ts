import { append } from "#/std/base/append.ts";
import { duplicate, type FieldError, invalid } from "../meta/field-error.ts";
import { type FieldPath, fieldPath } from "../meta/field-path.ts";
import { sortedJson } from "./sorted-json.ts";
import { isJsonObject, type StructuralSchema, schemaOfField } from "./structural-schema.ts";

/**
 * Finds duplicate items in lists of type set, and items with duplicate keys in lists of type map.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
 */
export function validateListTypes(object: unknown, schema: StructuralSchema): FieldError[] {
  return validateValue(object, schema, undefined);
}

function validateValue(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: FieldPath | undefined,
): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) return validateList(value, schema, path ?? fieldPath(""));
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const named = schema.properties.has(key);
    const child = named ? path?.child(key) : path?.key(key);
    const at = child ?? (named ? fieldPath(key) : fieldPath(`[${key}]`));
    return validateValue(value[key], schemaOfField(schema, key), at);
  });
}

function validateList(
  list: readonly unknown[],
  schema: StructuralSchema,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.listType === "set") {
    for (const index of repeated(list)) errors.push(duplicate(path.index(index), list[index]));
  } else if (schema.listType === "map") {
    append(errors, validateMapList(list, schema.listMapKeys, path));
  }
  list.forEach((item, index) => {
    append(errors, validateValue(item, schema.items, path.index(index)));
  });
  return errors;
}

function validateMapList(
  list: readonly unknown[],
  keys: readonly string[],
  path: FieldPath,
): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [invalid(path.index(wrong), list[wrong], detail)];
  }
  const identities = list.map((item) => identityOf(item, keys));
  return repeated(identities).map((index) => duplicate(path.index(index), identities[index]));
}

/** The keys of an item with their values; absent keys are omitted. */
export function identityOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  if (!isJsonObject(item)) return {};
  const present = keys.filter((key) => Object.hasOwn(item, key)).toSorted();
  return Object.fromEntries(present.map((key) => [key, item[key]]));
}

/** The index of the second occurrence of every duplicate value. */
function repeated(list: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  const found: number[] = [];
  list.forEach((item, index) => {
    const text = sortedJson(item);
    const count = times.get(text) ?? 0;
    times.set(text, count + 1);
    if (count === 1) found.push(index);
  });
  return found;
}
