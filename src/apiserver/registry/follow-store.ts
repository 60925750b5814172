import { nextTurn } from "#/std/time/clock.ts";
import type { Store } from "./store.ts";
import type { StoredObject } from "./stored-object.ts";

/** Called with an object's key ("namespace/name" or "name"), its new state (undefined if deleted) and its last one. */
type OnChange = (
  key: string,
  object: StoredObject | undefined,
  previous: StoredObject | undefined,
) => void;

/** Reports every object of a store, then every change. For indexes that live as long as the server. */
export function followStore(store: Store, onChange: OnChange): Disposable {
  const subscription = followChanges(store, onChange);
  for (const [key, object] of store.cache.snapshot().items.entries()) {
    onChange(key, object, undefined);
  }
  return subscription;
}

/** Objects reported before other work gets its turn. */
const objectsPerTurn = 500;

/**
 * The same for resources with very many objects: reports the first ones at once, the others while the server starts.
 * The index is incomplete until then, and its users must allow for that.
 */
export function followManyObjects(store: Store, onChange: OnChange): Disposable {
  const subscription = followChanges(store, onChange);
  void reportInTurns(store, onChange);
  return subscription;
}

async function reportInTurns({ cache }: Store, onChange: OnChange): Promise<void> {
  let told = 0;
  for (const [key, object] of cache.snapshot().items.entries()) {
    // Objects that have changed since were reported by their events.
    if (cache.find(key) === object) onChange(key, object, undefined);
    if (++told % objectsPerTurn === 0) await nextTurn();
  }
}

function followChanges({ cache }: Store, onChange: OnChange): Disposable {
  return cache.subscribe({
    scope: { keyPrefix: "" },
    deliver(deliveries) {
      for (const { event } of deliveries) {
        const object = event.type === "DELETED" ? undefined : event.object;
        onChange(cache.itemKey(event.object.key), object, event.previous);
      }
    },
  });
}
