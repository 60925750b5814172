import type { Store } from "../registry/store.ts";
import type { StoredObject } from "../registry/stored-object.ts";

/** Called with an object's key ("namespace/name" or "name"), its new state (undefined once gone) and its last one. */
export type OnChange = (
  key: string,
  object: StoredObject | undefined,
  previous: StoredObject | undefined,
) => void;

/** Tells of every object of a store, and from now on of every change. For indexes that live as long as the server. */
export function followStore({ cache }: Store, onChange: OnChange): Disposable {
  const subscription = cache.subscribe({
    scope: { keyPrefix: "" },
    deliver(deliveries) {
      for (const { event } of deliveries) {
        const object = event.type === "DELETED" ? undefined : event.object;
        onChange(cache.itemKey(event.object.key), object, event.previous);
      }
    },
  });
  for (const [key, object] of cache.snapshot().items.entries()) onChange(key, object, undefined);
  return subscription;
}
