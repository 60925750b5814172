import type { Resource } from "#/api/base/resource.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Store } from "../../registry/store.ts";
import type { Decoded } from "../../registry/strategy.ts";

/** An object in the cache, synchronously. */
export function findObject<T>(
  registry: Registry,
  handle: Resource<T>,
  namespace: string,
  name: string,
): Decoded<T> | undefined {
  const store = storeOf(registry, handle);
  return store?.findCached(namespace, name)?.parsed() as Decoded<T> | undefined;
}

/** An object as it is stored now, whichever API server wrote it. */
export async function findNewest<T>(
  registry: Registry,
  handle: Resource<T>,
  namespace: string,
  name: string,
): Promise<Decoded<T> | undefined> {
  const store = storeOf(registry, handle);
  return (await store?.find(namespace, name))?.parsed() as Decoded<T> | undefined;
}

/** All cached objects of a resource, or those in one namespace, in the order of their names. */
export function* listObjects<T>(
  registry: Registry,
  handle: Resource<T>,
  namespace?: string,
): Generator<Decoded<T>> {
  const store = storeOf(registry, handle);
  if (!store) return;
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  for (const [key, stored] of store.cache.snapshot().items.entries(prefix)) {
    if (!key.startsWith(prefix)) return;
    yield stored.parsed() as Decoded<T>;
  }
}

/** A server may serve only some resources. */
function storeOf(registry: Registry, { group, name }: Resource): Store | undefined {
  return registry.catalog.findResource(group, name)?.store;
}
