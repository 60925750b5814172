import type { StoredObject } from "./stored-object.ts";
import type { Trait } from "./trait-index.ts";

/** Source of the items of a snapshot. */
interface ItemSource {
  readonly size: number;
  get(itemKey: string): StoredObject | undefined;
  /** All items in key order; called once. */
  all(): readonly StoredObject[];
  /** The items with a trait's value, in key order; undefined if that requires a scan of all. */
  withTrait?(trait: Trait, value: string): readonly StoredObject[] | undefined;
}

/** The objects of one resource at one revision, in key order. Never changes. */
export class OrderedItems {
  readonly #source: ItemSource;
  readonly #prefixLength: number;
  #objects: readonly StoredObject[] | undefined;

  /** `prefix` is common to all keys of the resource; item keys are without it. */
  constructor(source: ItemSource, prefixLength: number) {
    this.#source = source;
    this.#prefixLength = prefixLength;
  }

  get size(): number {
    return this.#source.size;
  }

  get(itemKey: string): StoredObject | undefined {
    return this.#source.get(itemKey);
  }

  get objects(): readonly StoredObject[] {
    this.#objects ??= this.#source.all();
    return this.#objects;
  }

  /** The items with a trait's value; undefined if that requires a scan of all. */
  withTrait(trait: Trait, value: string): OrderedItems | undefined {
    const objects = this.#source.withTrait?.(trait, value);
    if (!objects) return undefined;
    const get = (itemKey: string) => this.#source.get(itemKey);
    return new OrderedItems({ size: objects.length, get, all: () => objects }, this.#prefixLength);
  }

  keyOf({ key }: StoredObject): string {
    return key.slice(this.#prefixLength);
  }

  /** Index in `objects` of the first item with this key or a later one. */
  position(itemKey: string): number {
    const { objects } = this;
    let low = 0;
    let high = itemKey === "" ? 0 : objects.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const object = objects[middle];
      if (object && this.keyOf(object) < itemKey) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The part of `objects` with keys that begin with a prefix. */
  span(keyPrefix: string): { readonly start: number; readonly end: number } {
    if (keyPrefix === "") return { start: 0, end: this.objects.length };
    // This sorts after every character that a key can have.
    return { start: this.position(keyPrefix), end: this.position(`${keyPrefix}\uffff`) };
  }

  /** Entries from a key on (inclusive), in order. */
  *entries(from = ""): Generator<[string, StoredObject]> {
    const { objects } = this;
    for (let index = this.position(from); index < objects.length; index++) {
      const object = objects[index];
      if (object) yield [this.keyOf(object), object];
    }
  }
}
