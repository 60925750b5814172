import { isJsonObject, type JsonObject } from "../values/json-value.ts";
import { PatchError } from "../values/patch-error.ts";

/**
 * The special keys of a strategic merge patch.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
 */

/** In a map: replace or delete; in an item of a list: delete this item, or replace the list. */
export const patchDirective = "$patch";
/** In a map: the keys that are kept. */
export const retainKeysDirective = "$retainKeys";
/** Prefix, before a slash and the name of a list of scalars: the items to delete. */
export const deletionPrefix = "$deleteFromPrimitiveList";
/** Prefix, before a slash and the name of a list: the order of its items. */
export const orderPrefix = "$setElementOrder";

/** The error for a malformed directive on lists. */
export const badOrderList = (): PatchError =>
  new PatchError(400, "invalid patch format of setElementOrder list");
export const badDeletionList = (): PatchError =>
  new PatchError(400, "invalid patch format of primitive list");
export const badRetainKeys = (): PatchError =>
  new PatchError(400, "invalid patch format of retainKeys");

/**
 * The name of the list that a parallel list such as $setElementOrder/containers refers to;
 * undefined for other keys.
 */
export function parallelListField(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}

/**
 * A value without all parts that have a $patch; undefined if it has one itself. Parts without one
 * are shared.
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = mapChanged(value, withoutDirectives);
    return items.includes(undefined) ? items.filter((item) => item !== undefined) : items;
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  return mapFields(value, withoutDirectives);
}

/**
 * A value without null fields, at any depth; nulls in lists are kept. Parts without null are
 * shared.
 */
export function withoutNullFields(value: unknown): unknown {
  if (Array.isArray(value)) return mapChanged(value, withoutNullFields);
  if (!isJsonObject(value)) return value;
  return mapFields(value, (part) => (part === null ? undefined : withoutNullFields(part)));
}

/** As map(), but returns the same list if no item changes. */
function mapChanged(
  list: readonly unknown[],
  change: (item: unknown) => unknown,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const after = change(item);
    if (after === item) continue;
    changed ??= [...list];
    changed[index] = after;
  }
  return changed ?? list;
}

/**
 * The object with each field changed, without those that become undefined; the same object if no
 * field changes.
 */
function mapFields(object: JsonObject, change: (part: unknown) => unknown): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const after = change(object[key]);
    if (after === object[key]) continue;
    changed ??= { ...object };
    if (after === undefined) delete changed[key];
    else changed[key] = after;
  }
  return changed ?? object;
}
