import type { Event } from "#/api/audit/v1.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";
import { sizeOf } from "./truncate-events.ts";

/**
 * Limit of the bodies in waiting events (bytes). Upstream limits only the number of events, 10,000 by default: with
 * objects of 3 MB and a receiver that is down, they would take 30 GB.
 */
const maxBodyBytes = 64 << 20;

export interface AuditBufferOptions {
  /** Delivers a batch of events; rejects, after logging the reason, if that fails. */
  deliver(events: readonly Event[]): Promise<void>;
  /** Closes the destination. */
  close?(): Promise<void>;
  /** Limit of waiting events, including those being delivered (count); further ones are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** 0 for no delay. */
  readonly maxWaitMs: number;
  /** Limit of a batch (bytes); 0 for none. */
  readonly maxBatchBytes?: number;
  /** Limit of the rate of batches, to protect the receiver. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AuditMetrics;
}

interface WaitingEvent {
  readonly event: Event;
  readonly bodyBytes: number;
}

/** Delivers events in batches while their requests continue. Upstream: plugin/pkg/audit/buffered. */
export class AuditBuffer implements AuditSink {
  readonly #options: AuditBufferOptions;
  readonly #throttle: TokenBucket | undefined;
  #waiting: WaitingEvent[] = [];
  /** Events accepted and not yet delivered. */
  #pending = 0;
  #pendingBytes = 0;
  #timer: Timer | undefined;
  #sending = Promise.resolve();

  constructor(options: AuditBufferOptions) {
    this.#options = options;
    const { throttle, clock } = options;
    this.#throttle = throttle && new TokenBucket({ ...throttle, clock });
  }

  record(event: Event, bodyBytes = 0): undefined {
    const { bufferSize, maxBatchSize, maxWaitMs, clock, log, metrics } = this.#options;
    const isLarge = this.#pendingBytes > 0 && this.#pendingBytes + bodyBytes > maxBodyBytes;
    if (this.#pending >= bufferSize || isLarge) {
      metrics.lost("buffered", 1);
      log.error(new Error("the buffer is full"), "dropped audit event");
      return undefined;
    }
    this.#pending++;
    this.#pendingBytes += bodyBytes;
    this.#waiting.push({ event, bodyBytes });
    if (this.#waiting.length >= maxBatchSize) this.#flush();
    else this.#timer ??= clock.setTimer(maxWaitMs, () => this.#flush(), { keepAlive: false });
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#sending;
    await this.#options.close?.();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    for (const batch of this.#split(events)) {
      this.#sending = this.#sending
        .then(() => this.#throttle?.take())
        .then(() => this.#options.deliver(batch.map(({ event }) => event)))
        .catch(() => undefined)
        .finally(() => {
          this.#pending -= batch.length;
          for (const { bodyBytes } of batch) this.#pendingBytes -= bodyBytes;
        });
    }
  }

  /** Batches within the size limit. */
  #split(events: readonly WaitingEvent[]): WaitingEvent[][] {
    const { maxBatchBytes = 0 } = this.#options;
    const batches: WaitingEvent[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const event of events) {
      const own = maxBatchBytes > 0 ? sizeOf(event.event) : 0;
      if (size + own > maxBatchBytes || (maxBatchBytes === 0 && batches.length === 0)) {
        batches.push([]);
        size = 0;
      }
      batches.at(-1)?.push(event);
      size += own;
    }
    return batches;
  }
}
