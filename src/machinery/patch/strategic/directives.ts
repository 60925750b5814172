import { isJsonObject } from "../json-value.ts";
import { PatchError } from "../patch-error.ts";

/**
 * The special keys of a strategic merge patch.
 *
 * Upstream: apimachinery/pkg/util/strategicpatch/patch.go.
 */

/** In a map: replace, delete; in an item of a list: delete this item, or replace the list. */
export const patchDirective = "$patch";
/** In a map: the keys that stay. */
export const retainKeysDirective = "$retainKeys";
/** Before a slash and a list of scalars' name: what to take out of it. */
export const deletionPrefix = "$deleteFromPrimitiveList";
/** Before a slash and a list's name: the order its items shall have. */
export const orderPrefix = "$setElementOrder";

/** The error for a directive on lists that does not have the right form. */
export const badOrderList = (): PatchError =>
  new PatchError(400, "invalid patch format of setElementOrder list");
export const badDeletionList = (): PatchError =>
  new PatchError(400, "invalid patch format of primitive list");
export const badRetainKeys = (): PatchError =>
  new PatchError(400, "invalid patch format of retainKeys");

/** The name of the list that a parallel list such as $setElementOrder/containers is about; undefined if it names none. */
export function parallelListField(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}

/** A value without everything that bears a $patch; undefined if it does so itself. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const entries = Object.entries(value).map(
    ([key, part]) => [key, withoutDirectives(part)] as const,
  );
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

/** A value without null fields, at any depth; nulls in lists stay. */
export function withoutNullFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullFields);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutNullFields(part)]));
}
