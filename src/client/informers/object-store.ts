/** Upstream: staging/src/k8s.io/client-go/tools/cache (Indexer). */
import { keyOf, metaOf } from "../object-key.ts";

/** The index values of an object; none, one or several. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Read access to a store. Its objects are shared: never change them, deepCopy() first. */
export interface ObjectStore<T> {
  readonly size: number;
  get(namespace: string | undefined, name: string): T | undefined;
  /** By "namespace/name", or the name if the object has no namespace. */
  getByKey(key: string): T | undefined;
  /** All objects; the same array until something changes. */
  list(): readonly T[];
  listNamespace(namespace: string): readonly T[];
  /** Number of objects of a namespace. */
  countNamespace(namespace: string): number;
  /** The objects with this value in the index of that name. Throws if there is no such index. */
  byIndex(index: string, value: string): readonly T[];
  /** Number of objects with this value in an index. */
  countByIndex(index: string, value: string): number;
  /** The values of an index that have objects. */
  indexValues(index: string): readonly string[];
}

const namespaceIndex = "namespace";

/** Objects by key and by index values. */
export class IndexedStore<T> implements ObjectStore<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  #listed: readonly T[] | undefined;

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.addIndex(namespaceIndex, (object) => [metaOf(object).namespace ?? ""]);
    for (const [name, values] of Object.entries(indexes)) this.addIndex(name, values);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(namespace ? `${namespace}/${name}` : name);
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    this.#listed ??= [...this.#objects.values()];
    return this.#listed;
  }

  listNamespace(namespace: string): readonly T[] {
    return this.byIndex(namespaceIndex, namespace);
  }

  countNamespace(namespace: string): number {
    return this.countByIndex(namespaceIndex, namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return [...(this.#index(index).objects.get(value)?.values() ?? [])];
  }

  countByIndex(index: string, value: string): number {
    return this.#index(index).objects.get(value)?.size ?? 0;
  }

  indexValues(index: string): readonly string[] {
    return [...this.#index(index).objects.keys()];
  }

  /** Adds an index; an existing one stays, as one name means one function. */
  addIndex(name: string, values: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { values, objects: new Map() };
    for (const [key, object] of this.#objects) insert(index, key, object);
    this.#indexes.set(name, index);
  }

  /** Stores an object; returns the replaced one. */
  set(object: T): T | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#listed = undefined;
    for (const index of this.#indexes.values()) {
      if (old !== undefined) remove(index, key, old);
      insert(index, key, object);
    }
    return old;
  }

  /** Removes an object and returns it. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#listed = undefined;
    for (const index of this.#indexes.values()) remove(index, key, old);
    return old;
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }
}

interface Index<T> {
  readonly values: IndexFunction<T>;
  /** By value, then by key. Invariant: no inner map is empty. */
  readonly objects: Map<string, Map<string, T>>;
}

function insert<T>({ values, objects }: Index<T>, key: string, object: T): void {
  for (const value of values(object)) {
    const found = objects.get(value);
    if (found) found.set(key, object);
    else objects.set(value, new Map([[key, object]]));
  }
}

function remove<T>({ values, objects }: Index<T>, key: string, object: T): void {
  for (const value of values(object)) {
    const found = objects.get(value);
    found?.delete(key);
    if (found?.size === 0) objects.delete(value);
  }
}
