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
  deliver(events: readonly WaitingEvent[]): Promise<void>;
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

/** An event, and the size of its objects as bodies. */
export interface WaitingEvent {
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
    this.#sending = this.#sending.then(async () => {
      for (const batch of await this.#split(events)) await this.#deliver(batch);
    });
  }

  async #deliver(batch: readonly WaitingEvent[]): Promise<void> {
    try {
      await this.#throttle?.take();
      await this.#options.deliver(batch);
    } catch {
      // It was logged, and the events are counted as lost.
    } finally {
      this.#pending -= batch.length;
      for (const { bodyBytes } of batch) this.#pendingBytes -= bodyBytes;
    }
  }

  /** Batches within the size limit. */
  async #split(events: readonly WaitingEvent[]): Promise<WaitingEvent[][]> {
    const { maxBatchBytes = 0 } = this.#options;
    if (maxBatchBytes === 0) return events.length > 0 ? [[...events]] : [];
    const batches: WaitingEvent[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const event of events) {
      const own = await sizeOf(event.event);
      if (size + own > maxBatchBytes) {
        batches.push([]);
        size = 0;
      }
      batches.at(-1)?.push(event);
      size += own;
    }
    return batches;
  }
}
