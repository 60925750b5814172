import { compareKeys } from "./compare-keys.ts";
import { setOwn } from "./own-property.ts";

type Fields = Record<string, unknown>;

/** Findings while a value is sorted. */
export interface OrderNotes {
  /**
   * An object has keys that look like array indexes. JavaScript always puts those first, so the
   * writer must sort them.
   */
  indexKeys: boolean;
  /**
   * Encoded texts that replace marks, in order; absent if the result must contain the values
   * themselves.
   */
  readonly marked?: MarkedTexts;
}

/**
 * Encoded texts of values that are written often, and the mark that replaces them until the end.
 */
interface MarkedTexts {
  readonly mark: string;
  readonly texts: string[];
}

/** The object with its keys in ascending order; the same instance if they already are. */
export function inKeyOrder(object: Fields, notes: OrderNotes): Fields {
  let last = "";
  for (const key in object) {
    if (key < last) return sorted(object, notes);
    last = key;
  }
  return object;
}

function sorted(object: Fields, notes: OrderNotes): Fields {
  const result: Fields = {};
  for (const key of Object.keys(object).sort(compareKeys)) {
    setOwn(result, key, object[key]);
    if (isIndexKey(key)) notes.indexKeys = true;
  }
  return result;
}

/**
 * Whether JavaScript treats a key as an array index. True for a few other keys as well, which is
 * harmless.
 */
export function isIndexKey(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 && /^(?:0|[1-9]\d{0,9})$/.test(key);
}

/**
 * The value with the keys of all its objects in ascending order, as Go writes a map[string]any;
 * copies only unsorted parts.
 */
export function inDeepKeyOrder(value: unknown, notes: OrderNotes): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? listInOrder(value, notes) : objectInOrder(value as Fields, notes);
}

function listInOrder(list: unknown[], notes: OrderNotes): unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = inDeepKeyOrder(list[i], notes);
    if (after === list[i]) continue;
    copy ??= [...list];
    copy[i] = after;
  }
  return copy ?? list;
}

function objectInOrder(object: Fields, notes: OrderNotes): Fields {
  const ordered = inKeyOrder(object, notes);
  let copy: Fields | undefined;
  for (const key in ordered) {
    const after = inDeepKeyOrder(ordered[key], notes);
    if (after === ordered[key]) continue;
    copy ??= { ...ordered };
    setOwn(copy, key, after);
  }
  return copy ?? ordered;
}
