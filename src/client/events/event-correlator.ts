/** Upstream: staging/src/k8s.io/client-go/tools/record/events_cache.go. */
import type { Event } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import type { Clock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { newEventName } from "./event-reference.ts";

const cacheSize = 4096;
/** Limit of events of one source about one object in a burst; then one in five minutes. */
const spamBurst = 25;
const spamQps = 1 / 300;
/** Limit of events within the interval that differ only in their message; more become one. */
const similarEvents = 10;
const similarIntervalMs = 600_000;

/** How to write an event; undefined to drop it. */
type Correlated =
  | {
      readonly event: Event;
      /** A strategic merge patch of the existing event; undefined to create it. */
      readonly patch?: object | undefined;
    }
  | undefined;

interface Similar {
  messages: Set<string>;
  lastMs: number;
}

interface Observation {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name: string;
  readonly resourceVersion: string;
}

/**
 * Limits the number of events: counts repeated ones, combines similar ones, drops those over the
 * rate limit.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new LruMap<string, TokenBucket>(cacheSize);
  readonly #similar = new LruMap<string, Similar>(cacheSize);
  readonly #observed = new LruMap<string, Observation>(cacheSize);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate(given: Event): Correlated {
    const [event, key] = this.#aggregate(given);
    const observed = this.#observe(event, key);
    return this.#isSpam(observed.event) ? undefined : observed;
  }

  /** Stores the server's version of an event, on which later patches are based. */
  recorded(event: Event): void {
    const { name = "", resourceVersion = "" } = event.metadata;
    const { count = 1, firstTimestamp = "" } = event;
    this.#observed.set(eventKey(event), { count, firstTimestamp, name, resourceVersion });
  }

  #isSpam(event: Event): boolean {
    const key = [...subject(event), event.type].join("\0");
    const bucket =
      this.#buckets.get(key) ??
      new TokenBucket({ qps: spamQps, burst: spamBurst, clock: this.#clock });
    this.#buckets.set(key, bucket);
    return !bucket.tryTake();
  }

  #aggregate(event: Event): [Event, string] {
    const { type, reason, reportingComponent, reportingInstance, message = "" } = event;
    const parts = [...subject(event), type, reason, reportingComponent, reportingInstance];
    const key = parts.join("\0");
    const nowMs = this.#clock.now();
    const known = this.#similar.get(key);
    const record =
      known && nowMs - known.lastMs <= similarIntervalMs
        ? known
        : { messages: new Set<string>(), lastMs: nowMs };
    record.messages.add(message);
    record.lastMs = nowMs;
    this.#similar.set(key, record);
    if (record.messages.size < similarEvents) return [event, eventKey(event)];
    for (const any of record.messages) {
      record.messages.delete(any);
      break;
    }
    return [this.#combined(event, nowMs), key];
  }

  #combined(event: Event, nowMs: number): Event {
    const { involvedObject, message = "" } = event;
    const now = formatTime(nowMs);
    return {
      ...event,
      metadata: {
        name: newEventName(involvedObject.name ?? "", this.#clock),
        ...(event.metadata.namespace ? { namespace: event.metadata.namespace } : {}),
      },
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      message: `(combined from similar events): ${message}`,
    };
  }

  #observe(event: Event, key: string): NonNullable<Correlated> {
    const last = this.#observed.get(key);
    const count = (last?.count ?? 0) + 1;
    const firstTimestamp = last?.firstTimestamp ?? event.firstTimestamp ?? "";
    const name = last?.name ?? event.metadata.name ?? "";
    const resourceVersion = last?.resourceVersion ?? "";
    this.#observed.set(key, { count, firstTimestamp, name, resourceVersion });
    if (!last) return { event };
    const { message, lastTimestamp } = event;
    return {
      event: { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count },
      patch: { count, lastTimestamp, message },
    };
  }
}

function eventKey(event: Event): string {
  const { type, reason, message, involvedObject } = event;
  return [...subject(event), involvedObject.fieldPath, type, reason, message].join("\0");
}

/** The source and the object of an event, as a key. */
function subject({ source = {}, involvedObject }: Event): (string | undefined)[] {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source.component, source.host, kind, namespace, name, uid, apiVersion];
}
