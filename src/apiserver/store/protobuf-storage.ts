import type { Entry, Storage, WatchEvent } from "#/storage/base/storage.ts";
import { toProtobuf } from "./to-protobuf.ts";

/**
 * A store whose values of built-in kinds are written in protobuf, as upstream's server writes them. The event of a write has the
 * JSON of the write, so that it need not be parsed again; what others have written is passed on as it is.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/storage/storage_codec.go.
 */
export function protobufStorage(inner: Storage): Storage {
  /** By the stored bytes. */
  const written = new WeakMap<Uint8Array, Uint8Array>();
  const open = <E extends Entry | undefined>(entry: E): E => {
    const value = entry && written.get(entry.value);
    return value ? { ...entry, value } : entry;
  };
  const openEvent = (event: WatchEvent): WatchEvent => {
    const previous = open(event.previous);
    return event.type === "put"
      ? { ...event, entry: open(event.entry), previous }
      : { ...event, previous };
  };
  return {
    get exclusive() {
      return inner.exclusive;
    },
    revision: () => inner.revision(),
    requestProgress: (revision) => inner.requestProgress(revision),
    compact: (revision) => inner.compact(revision),
    health: (timeoutMs) => inner.health(timeoutMs),
    snapshot: (file) => inner.snapshot(file),
    sizeBytes: () => inner.sizeBytes(),
    get: (key, options) => inner.get(key, options),
    range: (prefix, options) => inner.range(prefix, options),
    delete: (key, options) => inner.delete(key, options),
    async put(key, value, options) {
      const stored = toProtobuf(value);
      if (stored !== value) written.set(stored, value);
      return await inner.put(key, stored, options);
    },
    async *watch(prefix, options) {
      for await (const batch of inner.watch(prefix, options)) {
        yield { ...batch, events: batch.events.map(openEvent) };
      }
    },
    [Symbol.asyncDispose]: async () => inner[Symbol.asyncDispose](),
  };
}
