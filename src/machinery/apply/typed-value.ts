import type { JsonObject } from "../patch/values/json-value.ts";
import { isJsonObject } from "../patch/values/json-value.ts";
import type { FieldType } from "./field-type.ts";
import { keyElement, type PathElement, textKeyElement, valueElement } from "./path-element.ts";

/**
 * Reads values by type.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go.
 */

/** The type of a field or an entry; undefined for a field that the schema does not have. */
export const memberType = (type: FieldType, key: string): FieldType | undefined =>
  type.fields.get(key) ?? type.other;

/** The value of a key; undefined if the object has no own property of that name. */
export function readKey(object: JsonObject, key: string): unknown {
  const value = object[key];
  // Inherited values are functions or the prototype itself; JSON has no functions.
  const inherited = typeof value === "function" || key === "__proto__";
  return inherited && !Object.hasOwn(object, key) ? undefined : value;
}

/** The value as a map; undefined for null and other types. */
export const asMap = (value: unknown): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;

/** The value as a list; undefined for null and other types. */
export const asList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** Whether the map has entries. */
export function hasEntries(map: JsonObject | undefined): boolean {
  for (const key in map) if (map[key] !== undefined) return true;
  return false;
}

/** A list item without a unique key. */
export class ItemError extends Error {
  override readonly name = "ItemError";
}

/** The path element of an item of a set or a map list; throws ItemError. */
export function itemElement({ keys, keyDefaults }: FieldType, item: unknown): PathElement {
  if (keys.length === 0) return setItemElement(item);
  if (item === null) throw new ItemError("associative list with keys may not have a null element");
  if (!isJsonObject(item)) {
    throw new ItemError("associative list with keys may not have non-map elements");
  }
  if (keys.length === 1) {
    const value = readKey(item, keys[0] as string) ?? keyDefaults[0];
    if (typeof value === "string") return textKeyElement(keys[0] as string, value);
    if (value !== undefined) return keyElement(keys, [value]);
  }
  const names: string[] = [];
  const values: unknown[] = [];
  for (const [index, key] of keys.entries()) {
    const value = readKey(item, key) ?? keyDefaults[index];
    if (value === undefined) continue;
    names.push(key);
    values.push(value);
  }
  if (names.length > 0) return keyElement(names, values);
  const listed = keys.map((key) => JSON.stringify(key)).join(" ");
  throw new ItemError(
    `associative list with keys has an element that omits all key fields [${listed}] (and doesn't have default values for any key fields)`,
  );
}

function setItemElement(item: unknown): PathElement {
  if (isJsonObject(item)) {
    throw new ItemError("associative list without keys has an element that's a map type");
  }
  if (Array.isArray(item)) {
    throw new ItemError("not supported: associative list with lists as elements");
  }
  if (item === null || item === undefined) {
    throw new ItemError("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}

/** Members of very large maps that are processed in one step (count). */
export const membersPerStep = 8_192;
/** Levels from the object's root whose maps are processed in steps: deeper ones are rarely large. */
export const levelsInSteps = 3;

/** Whether a map takes more than one step. */
export function isLargeMap(map: JsonObject): boolean {
  let left = membersPerStep;
  for (const _ in map) if (--left < 0) return true;
  return false;
}
