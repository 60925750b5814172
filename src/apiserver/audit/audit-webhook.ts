import type { Event } from "#/api/audit/v1.ts";
import type { Clock, Timer } from "#/std/clock.ts";
import type { Logger } from "#/std/log.ts";
import type { AuditSink } from "./audit-sink.ts";

export interface AuditWebhookOptions {
  /** Sends one list of events. */
  post(list: object): Promise<unknown>;
  readonly blocking: boolean;
  /** Events that may wait; what comes on top is dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends events to a webhook, many at a time. Upstream: apiserver/plugin/pkg/audit/{buffered,webhook}. */
export class AuditWebhook implements AuditSink {
  readonly #options: AuditWebhookOptions;
  #waiting: Event[] = [];
  #timer: Timer | undefined;
  #sending = Promise.resolve();

  constructor(options: AuditWebhookOptions) {
    this.#options = options;
  }

  record(event: Event): Promise<void> | undefined {
    const { blocking, bufferSize, maxBatchSize, maxWaitMs, clock, log } = this.#options;
    if (blocking) return this.#send([event]);
    if (this.#waiting.length >= bufferSize) {
      log.error(new Error("the buffer is full"), "an audit event is lost");
      return undefined;
    }
    this.#waiting.push(event);
    if (this.#waiting.length >= maxBatchSize) this.#flush();
    else this.#timer ??= clock.setTimer(maxWaitMs, () => this.#flush(), { keepAlive: false });
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#sending;
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length === 0) return;
    this.#sending = this.#sending.then(() => this.#send(events)).catch(() => undefined);
  }

  async #send(items: readonly Event[]): Promise<void> {
    try {
      const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
      await this.#options.post(list);
    } catch (error) {
      this.#options.log.error(error, "audit events can't be sent", { events: items.length });
      throw error;
    }
  }
}
