import type { WatchEvent } from "./storage.ts";

/** The key of an event. */
export function eventKey(event: WatchEvent): string {
  return event.type === "put" ? event.entry.key : event.key;
}

/** The revision of an event's write. */
export function eventRevision(event: WatchEvent): number {
  return event.type === "put" ? event.entry.modRevision : event.revision;
}
