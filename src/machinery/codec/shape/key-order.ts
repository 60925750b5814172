import { compareKeys } from "./compare-keys.ts";
import { setOwn } from "./own-property.ts";

type Fields = Record<string, unknown>;

/** What came to light while a value was put in order. */
export interface OrderNotes {
  /**
   * An object has keys that look like array indexes. JavaScript puts those first whatever one does, so their order is left
   * to the writer.
   */
  indexKeys: boolean;
  /** Texts that take the place of marks, in their order; absent where everything is to be there as values. */
  readonly marked?: MarkedTexts;
}

/** Texts of values that are written again and again, and what stands for them meanwhile. */
interface MarkedTexts {
  readonly mark: string;
  readonly texts: string[];
}

/** The object with its keys in ascending order; itself if it has that order. */
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
  for (const key of Object.keys(object).sort(compareKeys)) setOwn(result, key, object[key]);
  if (Object.keys(result).some(isIndexKey)) notes.indexKeys = true;
  return result;
}

/** Whether JavaScript takes a key for an array index (a few more are taken for one here, which does no harm). */
export function isIndexKey(key: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(key);
}

/** The value with the keys of all its objects in ascending order, as Go writes a map[string]any; copies what is not so. */
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
