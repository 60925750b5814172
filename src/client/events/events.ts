/** Upstream: staging/src/k8s.io/client-go/tools/record/event.go. */
import { type Event, events } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import { EventCorrelator } from "./event-correlator.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { type EventSourceOptions, eventReference, newEventName } from "./event-reference.ts";
import { EventWriter } from "./event-writer.ts";

const log = logger("events");

/** A recorder that a program can flush before it exits. */
export interface FlushingRecorder extends EventRecorder {
  /** Resolves when all events so far are written or dropped. */
  flushed(): Promise<void>;
}

/**
 * Records core/v1 Events: repeated ones are counted, similar ones combined, those over the limit
 * dropped.
 */
export function recorder(client: Client, options: EventSourceOptions): FlushingRecorder {
  const { component, instance, clock = systemClock, signal } = options;
  const correlator = new EventCorrelator(clock);
  const writer = new EventWriter({ clock, signal });
  const source = { component, ...(instance ? { host: instance } : {}) };
  return {
    flushed: () => writer.flushed(),
    event(object, type, reason, message, { related, action, annotations } = {}) {
      const involvedObject = eventReference(object);
      const now = formatTime(clock.now());
      const event: Event = {
        metadata: {
          name: newEventName(involvedObject.name ?? "", clock),
          namespace: involvedObject.namespace || "default",
          ...(annotations ? { annotations: { ...annotations } } : {}),
        },
        involvedObject,
        reason,
        message,
        source,
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        type,
        ...(related ? { related } : {}),
        ...(action ? { action } : {}),
        reportingComponent: component,
        reportingInstance: instance ?? "",
      };
      log.v(3, "Event occurred", () => ({ object: involvedObject.name, type, reason, message }));
      writer.add(() => write(client, correlator, event));
    },
  };
}

function write(client: Client, correlator: EventCorrelator, given: Event) {
  const correlated = correlator.correlate(given);
  if (!correlated) return undefined;
  const { event, patch } = correlated;
  const { name = "", namespace } = event.metadata;
  return {
    patch:
      patch &&
      (async () => {
        const ref = { name, namespace };
        correlator.recorded(await client.patch(events, ref, patch, { type: "strategic" }));
      }),
    create: async () => correlator.recorded(await client.create(events, event)),
  };
}
