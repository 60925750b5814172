import { maxDepth } from "../../codec/json/json-document.ts";
import { NumberLiteral } from "../../codec/json/json-parser.ts";

/**
 * A JSON object from the codecs; treated as immutable, and its keys as data (`__proto__` is an
 * ordinary key).
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not null, a list or a number literal. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof NumberLiteral);

/** The object's own value of a key; undefined if there is none, even if the prototype has one. */
export const ownValue = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets a key of an object that is being made; `__proto__` is an ordinary key. */
export function setKey(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else {
    Object.defineProperty(object, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
}

/** A copy of an object with one key set. */
export const withKey = (object: JsonObject, key: string, value: unknown): JsonObject => ({
  ...object,
  [key]: value,
});

/** A copy of an object without a key. */
export function withoutKey(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

/** A copy of a document, which may contain number literals. */
export function copyDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyDocument);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyDocument(part)]));
}

/** Whether a value is nested deeper than the limit (levels); walks without recursion. */
export function exceedsDepth(value: unknown, limit: number = maxDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const part of Object.values(container)) {
        if (typeof part === "object" && part !== null) next.push(part);
      }
    }
    level = next;
  }
  return false;
}
