import type { Schema } from "#/api/schema.ts";
import { LruMap } from "#/std/lru-map.ts";
import { valueText } from "./encode-json.ts";

/** So many values of a field are remembered. */
const rememberedValues = 256;

/** Texts that are worth a comparison, and that don't fill the memory. */
const leastText = 512;
const mostText = 16 * 1024;

const written = new WeakMap<object, Uint8Array>();

/** Whether a value stands for all that have its text. Nobody changes such a one any more. */
export const isShared = (value: object): boolean => written.has(value);

/** The JSON of a value that is shared. */
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

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** The value that stands for this one, which may be itself; it must not be changed any more. */
  share(value: object): object {
    const text = valueText(value, this.#schema);
    if (text.length < leastText || text.length > mostText) return value;
    const known = this.#byText.get(text);
    if (known) return known;
    written.set(value, Buffer.from(text));
    this.#byText.set(text, value);
    return value;
  }
}
