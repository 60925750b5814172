import type { SelectedEvent } from "../registry/result.ts";
import type { StoredObject } from "../registry/stored-object.ts";
import type { CacheEvent } from "../registry/watch-cache.ts";

/**
 * A change as seen through a selector: an object that starts to match is ADDED, one that no longer matches is
 * DELETED (in its last matching state, at the revision of the change).
 */
export function selectEvent(
  event: CacheEvent,
  matches: ((object: StoredObject) => boolean) | undefined,
): SelectedEvent | undefined {
  if (!matches) return { type: event.type, object: event.object };
  const is = event.type !== "DELETED" && matches(event.object);
  const was = event.previous !== undefined && matches(event.previous);
  if (is) return { type: was ? "MODIFIED" : "ADDED", object: event.object };
  if (!was) return undefined;
  if (event.type === "DELETED") return { type: "DELETED", object: event.object };
  return { type: "DELETED", object: event.previous.at(event.revision) };
}
