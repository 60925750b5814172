/** Upstream: staging/src/k8s.io/client-go/tools/events/event_broadcaster.go. */
import { hostname } from "node:os";
import { type Event, events } from "#/api/events/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import { type EventSourceOptions, eventReference, newEventName } from "./event-reference.ts";
import { EventWriter } from "./event-writer.ts";
import type { FlushingRecorder } from "./events.ts";

/** Interval (ms) at which a continuing series is written again, so that it doesn't expire. */
const refreshMs = 30 * 60_000;
/** Idle time (ms) after which a series has ended. */
const finishMs = 6 * 60_000;
/** Limit of a note (bytes), as the API validates it. */
const maxNoteBytes = 1024;

/** The last recorded state of an event that may become a series. */
interface Recorded {
  event: Event;
  lastMs: number;
}

/** Records events.k8s.io/v1 Events, as the scheduler does: repeated ones become a series. */
export function seriesRecorder(client: Client, options: EventSourceOptions): FlushingRecorder {
  const { component, clock = systemClock, signal } = options;
  const instance = options.instance ?? `${component}-${hostname()}`;
  const writer = new EventWriter({ clock, signal });
  const recorded = new Map<string, Recorded>();
  const write = (entry: Recorded) => writer.add(() => writeOf(client, entry.event));
  const finish = (): void => {
    for (const [key, entry] of recorded) {
      if (clock.now() - entry.lastMs < finishMs) continue;
      if (entry.event.series) write(entry);
      recorded.delete(key);
    }
  };
  const refresh = (): void => {
    for (const entry of recorded.values()) if (entry.event.series) write(entry);
  };
  const timers = [
    clock.every(finishMs, finish, { keepAlive: false }),
    clock.every(refreshMs, refresh, { keepAlive: false }),
  ];
  signal?.addEventListener("abort", () => {
    for (const timer of timers) timer.cancel();
  });
  return {
    flushed: () => writer.flushed(),
    event(object, type, reason, message, { related, action = "", annotations } = {}) {
      const regarding = eventReference(object);
      const time = formatMicroTime(clock.now());
      const key = JSON.stringify([type, action, reason, regarding, related]);
      const known = recorded.get(key);
      if (known) {
        const isSeries = known.event.series !== undefined;
        const count = (known.event.series?.count ?? 1) + 1;
        known.event = { ...known.event, series: { count, lastObservedTime: time } };
        known.lastMs = clock.now();
        if (!isSeries) write(known);
        return;
      }
      const event: Event = {
        metadata: {
          name: newEventName(regarding.name ?? "", clock),
          namespace: regarding.namespace || "default",
          ...(annotations ? { annotations: { ...annotations } } : {}),
        },
        eventTime: time,
        reportingController: component,
        reportingInstance: instance,
        action,
        reason,
        regarding,
        ...(related ? { related } : {}),
        note: cut(message),
        type,
      };
      const entry = { event, lastMs: clock.now() };
      recorded.set(key, entry);
      write(entry);
    },
  };
}

function writeOf(client: Client, event: Event) {
  const { name = "", namespace } = event.metadata;
  const { series } = event;
  const ref = { name, namespace };
  return {
    patch:
      series &&
      (async () => void (await client.patch(events, ref, { series }, { type: "strategic" }))),
    create: async () => {
      await client.create(events, event).catch((error: unknown) => {
        if (!series || !isStatusError(error, "AlreadyExists")) throw error;
        return client.patch(events, ref, { series }, { type: "strategic" });
      });
    },
  };
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxNoteBytes) return text;
  return `${bytes
    .subarray(0, maxNoteBytes - 3)
    .toString()
    .replace(/\uFFFD+$/, "")}...`;
}
