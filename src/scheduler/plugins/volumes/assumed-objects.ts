import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Lister } from "../../framework/context.ts";

interface Named {
  readonly metadata: ObjectMeta;
}

/**
 * Objects of a lister, overlaid with changes that were decided here and not yet observed. A change is dropped when the
 * lister has a newer version of the object.
 *
 * Upstream: pkg/scheduler/util/assumecache.
 */
export class AssumedObjects<T extends Named> {
  readonly #lister: Lister<T>;
  readonly #assumed = new Map<string, T>();

  constructor(lister: Lister<T>) {
    this.#lister = lister;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    const stored = this.#lister.get(namespace, name);
    return stored && this.#overlay(stored);
  }

  /** The object as the API server has it. */
  getStored(namespace: string | undefined, name: string): T | undefined {
    return this.#lister.get(namespace, name);
  }

  list(): readonly T[] {
    const stored = this.#lister.list();
    return this.#assumed.size === 0 ? stored : stored.map((object) => this.#overlay(object));
  }

  /** Overlays a change. It must be of the stored version. */
  assume(object: T): void {
    this.#assumed.set(keyOf(object), object);
  }

  /** Drops a change. */
  restore(object: T): void {
    this.#assumed.delete(keyOf(object));
  }

  #overlay(stored: T): T {
    const key = keyOf(stored);
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return stored;
    if (assumed.metadata.resourceVersion === stored.metadata.resourceVersion) return assumed;
    this.#assumed.delete(key);
    return stored;
  }
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: Named): string =>
  `${namespace}/${name}`;
