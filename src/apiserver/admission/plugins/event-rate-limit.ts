import { type Event, events } from "#/api/core/v1.ts";
import {
  formatFieldErrors,
  invalid,
  JsonValue,
  notSupported,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { fromStatus, type StatusError } from "#/machinery/meta/status-error.ts";
import { table } from "#/std/base/table.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { joinMessages } from "../base/forbid.ts";

interface Limit {
  readonly type: string;
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize?: number;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Default of the number of namespaces, users or objects for which a limit keeps a bucket. */
const defaultCacheSize = 4096;

const keys: Readonly<Record<string, (attributes: Admitted<Event>) => string>> = table({
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object: { source, involvedObject: of } }) =>
    [source?.component, source?.host, of.kind, of.namespace, of.name, of.uid, of.apiVersion].join(
      "",
    ),
});

/** Limits the rate of events. Upstream: plugin/pkg/admission/eventratelimit. */
export const eventRateLimit = admissionPlugin<Event>({
  name: "EventRateLimit",
  offByDefault: true,
  on: events,
  operations: ["CREATE", "UPDATE"],
  open({ clock }, configuration) {
    const { limits = [] } = (configuration ?? {}) as { limits?: readonly Limit[] };
    checkLimits(limits);
    const limiters = limits.map((limit) => new RateLimiter(limit, clock));
    return {
      validate(attributes) {
        if (attributes.dryRun) return;
        const messages = limiters.flatMap((limiter) => limiter.refusal(attributes));
        if (messages.length > 0) throw tooMany(joinMessages(messages));
      },
    };
  },
});

const tooMany = (message: string): StatusError =>
  fromStatus({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Too many requests: ${message}`,
    reason: "TooManyRequests",
    code: 429,
  });

/** Token buckets, one for each key; the least recently used is dropped first. */
class RateLimiter {
  readonly #limit: Limit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: Limit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  refusal(attributes: Admitted<Event>): string[] {
    const { type, qps, burst } = this.#limit;
    const key = keys[type]?.(attributes) ?? "";
    const now = this.#clock.monotonicMs();
    const bucket = this.#bucket(key, now);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledMs) / 1000) * qps);
    bucket.filledMs = now;
    if (bucket.tokens < 1) return [`limit reached on type ${type} for key ${key}`];
    bucket.tokens--;
    return [];
  }

  #bucket(key: string, now: number): Bucket {
    const found = this.#buckets.get(key) ?? { tokens: this.#limit.burst, filledMs: now };
    this.#buckets.delete(key);
    this.#buckets.set(key, found);
    const oldest = this.#buckets.keys().next().value;
    const most = this.#limit.cacheSize || defaultCacheSize;
    if (this.#buckets.size > most && oldest !== undefined) this.#buckets.delete(oldest);
    return found;
  }
}

function checkLimits(limits: readonly Limit[]): void {
  const path = fieldPath("limits");
  const errors = limits.length === 0 ? [invalid(path, [], "must not be empty")] : [];
  limits.forEach(({ type, qps, burst, cacheSize = 0 }, index) => {
    const at = path.index(index);
    if (!Object.hasOwn(keys, type)) {
      errors.push(notSupported(at.child("type"), new JsonValue(type), Object.keys(keys)));
    }
    if (!(burst > 0)) errors.push(invalid(at.child("burst"), burst ?? 0, "must be positive"));
    if (!(qps > 0)) errors.push(invalid(at.child("qps"), qps ?? 0, "must be positive"));
    if (type !== "Server" && cacheSize < 0) {
      errors.push(invalid(at.child("cacheSize"), cacheSize, "must not be negative"));
    }
  });
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
}
