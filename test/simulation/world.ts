import type { Registry } from "#/apiserver/registry/registry.ts";
import type { Store } from "#/apiserver/registry/store.ts";
import type { ApiObject } from "#/apiserver/registry/strategy.ts";
import type { Clock } from "#/std/time/clock.ts";

/** One write, as it took place in the store. */
export interface Change {
  /** Plural name of the resource: "pods". */
  readonly resource: string;
  /** "namespace/name", or the name. */
  readonly key: string;
  readonly now: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** Limit of the staleness of components (ms): a state within this time may be the one that they decided on. */
export const staleMs = 60_000;

const registryPrefix = "/registry/";

/**
 * Everything in the store, now and in the order of its writes. Components see it later, each with its own
 * delay; properties are checked against this.
 */
export class World {
  readonly clock: Clock;
  readonly #stores = new Map<string, Store>();
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #byUid = new Map<string, ApiObject>();
  readonly #history = new Map<string, { readonly atMs: number; readonly value: number }[]>();

  constructor(registry: Registry, clock: Clock) {
    this.clock = clock;
    for (const { store } of registry.catalog.resources) this.#stores.set(store.prefix, store);
  }

  /** Applies a write; undefined if it is not an object of a known resource. */
  apply(path: string, value: Uint8Array | undefined): Change | undefined {
    const store = this.#storeOf(path);
    if (!store) return undefined;
    const resource = store.declaration.handle.name;
    const objects = this.#objects.get(resource) ?? new Map<string, ApiObject>();
    this.#objects.set(resource, objects);
    const key = path.slice(store.prefix.length);
    const old = objects.get(key);
    const now = value && store.codec.decode(value);
    if (now) {
      objects.set(key, now);
      this.#byUid.set(now.metadata.uid ?? "", now);
    } else {
      objects.delete(key);
      this.#byUid.delete(old?.metadata.uid ?? "");
    }
    return { resource, key, now, old };
  }

  list<T>(resource: string): T[] {
    return [...(this.#objects.get(resource)?.values() ?? [])] as unknown as T[];
  }

  find<T>(resource: string, key: string): T | undefined {
    return this.#objects.get(resource)?.get(key) as unknown as T | undefined;
  }

  findUid(uid: string): ApiObject | undefined {
    return this.#byUid.get(uid);
  }

  /** All objects of all resources. */
  *all(): Generator<readonly [resource: string, object: ApiObject]> {
    for (const [resource, objects] of this.#objects) {
      for (const object of objects.values()) yield [resource, object];
    }
  }

  /** Records a number, to know its greatest recent value. */
  note(name: string, value: number): void {
    const kept = this.#history.get(name) ?? [];
    if (kept.at(-1)?.value === value) return;
    kept.push({ atMs: this.clock.monotonicMs(), value });
    this.#history.set(name, kept);
  }

  /** The greatest value of a number within the staleness limit. */
  recentMax(name: string): number {
    const since = this.clock.monotonicMs() - staleMs;
    const kept = this.#history.get(name) ?? [];
    return Math.max(
      0,
      ...kept
        .filter(
          ({ atMs }, at) =>
            at === kept.length - 1 || atMs >= since || (kept[at + 1]?.atMs ?? 0) >= since,
        )
        .map(({ value }) => value),
    );
  }

  /** When a number last changed; -Infinity if never. */
  lastChangeMs(name: string): number {
    return this.#history.get(name)?.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  #storeOf(path: string): Store | undefined {
    if (!path.startsWith(registryPrefix)) return undefined;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const store = this.#stores.get(path.slice(0, end + 1));
      if (store) return store;
    }
    return undefined;
  }
}
