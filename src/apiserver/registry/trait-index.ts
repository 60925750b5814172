import type { StoredObject } from "./stored-object.ts";

/** A property for lookups of objects: a label, or a field. */
export interface Trait {
  /** Unique among the traits of a resource. */
  readonly name: string;
  /** Undefined for objects without it. */
  of(object: StoredObject): string | undefined;
}

interface TraitIndexLimits {
  /** Limit of indexed traits (count); the one looked up longest ago is dropped. */
  readonly traits: number;
  /** Limit of values of an indexed trait (count). */
  readonly values: number;
  /** Limit of objects of an indexed value (count): a scan for more is cheaper than keeping them in order. */
  readonly objects: number;
}

const defaultLimits: TraitIndexLimits = { traits: 4, values: 20_000, objects: 10_000 };
/** Lookups (count) before an index is made. */
const asksToIndex = 3;
/** Limit of traits with counted lookups and no index (count). */
const rememberedMost = 64;

/** The objects of one value, in key order. */
interface Bucket {
  /** Undefined if there are too many. */
  objects: StoredObject[] | undefined;
  /** A reader has them: they are copied before they change. */
  isShared: boolean;
}

interface Indexed {
  readonly trait: Trait;
  readonly buckets: Map<string, Bucket>;
}

/**
 * Finds the objects of a resource by traits that are looked up repeatedly, without a scan of all objects. The index
 * changes with the objects; results that it has returned don't.
 */
export class TraitIndex {
  readonly #limits: TraitIndexLimits;
  /** The last looked up trait is last. */
  readonly #indexed = new Map<string, Indexed>();
  /** Number of lookups of traits without an index. */
  readonly #asked = new Map<string, number>();
  readonly #unfit = new Set<string>();

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /** All objects with a value, in key order; undefined if it is not indexed. `all` are the current objects. */
  find(
    trait: Trait,
    value: string,
    all: () => readonly StoredObject[],
  ): readonly StoredObject[] | undefined {
    const indexed = this.#use(trait, all);
    if (!indexed) return undefined;
    const bucket = indexed.buckets.get(value);
    if (!bucket) return [];
    bucket.isShared = true;
    return bucket.objects;
  }

  /** Records that an object was created, changed or deleted. */
  change(previous: StoredObject | undefined, object: StoredObject | undefined): void {
    for (const indexed of this.#indexed.values()) {
      const before = previous && indexed.trait.of(previous);
      const after = object && indexed.trait.of(object);
      if (previous && before !== undefined && before !== after) remove(indexed, before, previous);
      if (object && after !== undefined) this.#put(indexed, after, object);
      if (indexed.buckets.size > this.#limits.values) this.#giveUp(indexed);
    }
  }

  #use(trait: Trait, all: () => readonly StoredObject[]): Indexed | undefined {
    const { name } = trait;
    const known =
      this.#indexed.get(name) ?? (this.#isDue(name) ? this.#build(trait, all()) : undefined);
    if (!known) return undefined;
    this.#indexed.delete(name);
    this.#indexed.set(name, known);
    const [oldest] = this.#indexed.keys();
    if (this.#indexed.size > this.#limits.traits && oldest !== undefined)
      this.#indexed.delete(oldest);
    return known;
  }

  #isDue(name: string): boolean {
    if (this.#unfit.has(name)) return false;
    const asks = (this.#asked.get(name) ?? 0) + 1;
    if (this.#asked.size >= rememberedMost) this.#asked.clear();
    if (asks < asksToIndex) this.#asked.set(name, asks);
    else this.#asked.delete(name);
    return asks >= asksToIndex;
  }

  #build(trait: Trait, objects: readonly StoredObject[]): Indexed | undefined {
    const indexed: Indexed = { trait, buckets: new Map() };
    for (const object of objects) {
      const value = trait.of(object);
      if (value !== undefined) this.#put(indexed, value, object);
      if (indexed.buckets.size <= this.#limits.values) continue;
      this.#giveUp(indexed);
      return undefined;
    }
    return indexed;
  }

  #put({ buckets }: Indexed, value: string, object: StoredObject): void {
    const bucket = buckets.get(value);
    if (!bucket) {
      buckets.set(value, { objects: [object], isShared: false });
      return;
    }
    const objects = ownObjects(bucket);
    if (!objects) return;
    const at = placeOf(objects, object.key);
    objects.splice(at, objects[at]?.key === object.key ? 1 : 0, object);
    if (objects.length > this.#limits.objects) bucket.objects = undefined;
  }

  #giveUp({ trait: { name } }: Indexed): void {
    this.#indexed.delete(name);
    if (this.#unfit.size >= rememberedMost) this.#unfit.clear();
    this.#unfit.add(name);
  }
}

function remove({ buckets }: Indexed, value: string, { key }: StoredObject): void {
  const bucket = buckets.get(value);
  const objects = bucket && ownObjects(bucket);
  if (!objects) return;
  const at = placeOf(objects, key);
  if (objects[at]?.key === key) objects.splice(at, 1);
  if (objects.length === 0) buckets.delete(value);
}

function ownObjects(bucket: Bucket): StoredObject[] | undefined {
  if (bucket.isShared) bucket.objects = bucket.objects?.slice();
  bucket.isShared = false;
  return bucket.objects;
}

/** Index of the first object with this key or a later one; most objects arrive in order. */
function placeOf(objects: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = objects.length;
  if ((objects.at(-1)?.key ?? "") < key) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((objects[middle]?.key ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
