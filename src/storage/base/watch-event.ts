import type { WatchEvent } from "./storage.ts";

/** The key that an event is about. */
export function eventKey(event: WatchEvent): string {
  return event.type === "put" ? event.entry.key : event.key;
}

/** The revision of the write that an event tells of. */
export function eventRevision(event: WatchEvent): number {
  return event.type === "put" ? event.entry.modRevision : event.revision;
}
