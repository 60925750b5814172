import type { Event } from "#/api/audit/v1.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";
import { sizeOf } from "./truncate-events.ts";

export interface AuditBufferOptions {
  /** Brings some events to where they are kept; rejects, and has told why, if it can't. */
  deliver(events: readonly Event[]): Promise<void>;
  /** Ends what the events are brought to. */
  close?(): Promise<void>;
  /** Events that may wait, those under way included; what comes on top is dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** 0 for not waiting at all. */
  readonly maxWaitMs: number;
  /** The largest list of events, in bytes; 0 for any. */
  readonly maxBatchBytes?: number;
  /** Lists at a time, where the receiver is to be spared a flood. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AuditMetrics;
}

/** Lets requests go on while their events are collected and delivered, many at a time. Upstream: plugin/pkg/audit/buffered. */
export class AuditBuffer implements AuditSink {
  readonly #options: AuditBufferOptions;
  readonly #throttle: TokenBucket | undefined;
  #waiting: Event[] = [];
  /** Events that were taken and have not been delivered. */
  #pending = 0;
  #timer: Timer | undefined;
  #sending = Promise.resolve();

  constructor(options: AuditBufferOptions) {
    this.#options = options;
    const { throttle, clock } = options;
    this.#throttle = throttle && new TokenBucket({ ...throttle, clock });
  }

  record(event: Event): undefined {
    const { bufferSize, maxBatchSize, maxWaitMs, clock, log, metrics } = this.#options;
    if (this.#pending >= bufferSize) {
      metrics.lost("buffered", 1);
      log.error(new Error("the buffer is full"), "an audit event is lost");
      return undefined;
    }
    this.#pending++;
    this.#waiting.push(event);
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
        .then(() => this.#options.deliver(batch))
        .catch(() => undefined)
        .finally(() => {
          this.#pending -= batch.length;
        });
    }
  }

  /** Parts that are no larger than they may be. */
  #split(events: readonly Event[]): Event[][] {
    const { maxBatchBytes = 0 } = this.#options;
    const batches: Event[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const event of events) {
      const own = maxBatchBytes > 0 ? sizeOf(event) : 0;
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
