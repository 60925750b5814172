import type { Schema } from "#/api/base/schema.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import { deepCopy } from "../../objects/deep-copy.ts";
import { deepEqual } from "../../objects/deep-equal.ts";
import { deepFreeze } from "../../objects/deep-freeze.ts";
import { valueText } from "../json/encode-json.ts";

/** So many values of a field are remembered. */
const rememberedValues = 256;

const leastLength = 512;
const mostLength = 16 * 1024;

/** Whether a text of this length is worth a comparison, and doesn't fill the memory. */
export const isWorthSharing = (length: number): boolean =>
  length >= leastLength && length <= mostLength;

const shared = new WeakSet<object>();
const written = new WeakMap<object, Uint8Array>();
const origins = new WeakMap<object, object>();

/** Whether a value is, or may become, part of several objects. Nobody changes such a one any more. */
export const isShared = (value: object): boolean => shared.has(value);

let areFrozen = false;

/** For tests: whoever changes what is shared finds out. */
export function freezeSharedValues(): void {
  areFrozen = true;
}

/** Says that nobody will change a value any more. */
export function markShared<T extends object>(value: T): T {
  shared.add(value);
  return areFrozen ? deepFreeze(value) : value;
}

/** A value that may be changed: a copy if this one is shared. */
export function ownCopy<T extends object>(value: T): T {
  if (!shared.has(value)) return value;
  const copy = deepCopy(value);
  origins.set(copy, value);
  return copy;
}

/** A copy that came from where the value came from. */
export function copyValue<T extends object>(value: T): T {
  const copy = deepCopy(value);
  const origin = origins.get(value);
  if (origin) origins.set(copy, origin);
  return copy;
}

/** The JSON of a value that SharedValues gave. */
export function sharedBytes(value: unknown): Uint8Array | undefined {
  return typeof value === "object" && value !== null ? written.get(value) : undefined;
}

/**
 * The values of a field that many objects have in common, such as the specs of a ReplicaSet's Pods. Of those with the same
 * text one is kept: it takes its memory once, it is written once, and what is found out about it holds for all.
 */
export class SharedValues {
  readonly #schema: Schema;
  readonly #byText = new LruMap<string, object>(rememberedValues);
  /** What became of the last copy of a value. */
  readonly #outcomes = new WeakMap<object, object>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** The value that stands for this one, which may be itself; it must not be changed any more. */
  share(value: object): object {
    const origin = origins.get(value);
    const likely = origin && this.#outcomes.get(origin);
    if (likely && deepEqual(value, likely)) return likely;
    const result = this.#ofText(valueText(value, this.#schema), value);
    if (origin) this.#outcomes.set(origin, result);
    return result;
  }

  #ofText(text: string, value: object): object {
    if (!isWorthSharing(text.length)) return value;
    const known = this.#byText.get(text);
    if (known) return known;
    written.set(value, Buffer.from(text));
    this.#byText.set(text, value);
    return markShared(value);
  }
}
