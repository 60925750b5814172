import { type ApiObject, fieldAt, textAt } from "./object.ts";

/** An Event of the API, of either of its groups. */
export interface EventView {
  readonly id: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly count: number;
  readonly lastMs: number;
  readonly kind: string;
  readonly group: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

function eventView(event: ApiObject): EventView {
  const apiVersion = textAt(event, "involvedObject", "apiVersion");
  const last =
    textAt(event, "series", "lastObservedTime") ||
    textAt(event, "lastTimestamp") ||
    textAt(event, "eventTime") ||
    (event.metadata.creationTimestamp ?? "");
  return {
    id: event.metadata.uid ?? event.metadata.name,
    isWarning: textAt(event, "type") === "Warning",
    reason: textAt(event, "reason"),
    message: textAt(event, "message"),
    source: textAt(event, "reportingComponent") || textAt(event, "source", "component"),
    count: Number(fieldAt(event, "series", "count") ?? fieldAt(event, "count") ?? 1),
    lastMs: Date.parse(last) || 0,
    kind: textAt(event, "involvedObject", "kind"),
    group: apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "",
    namespace: textAt(event, "involvedObject", "namespace") || undefined,
    name: textAt(event, "involvedObject", "name"),
  };
}

/** The events in order, the newest first. */
export const newestEvents = (events: readonly ApiObject[]): EventView[] =>
  events.map(eventView).sort((a, b) => b.lastMs - a.lastMs);

/** As newestEvents(), with those of one object and reason as one: a node that retries writes a new text each time. */
export function newestByReason(events: readonly ApiObject[]): EventView[] {
  const found = new Map<string, EventView>();
  for (const event of newestEvents(events)) {
    const { kind, namespace, name, reason, count } = event;
    const key = JSON.stringify([kind, namespace, name, reason]);
    const newer = found.get(key);
    found.set(key, newer ? { ...newer, count: newer.count + count } : event);
  }
  return [...found.values()];
}
