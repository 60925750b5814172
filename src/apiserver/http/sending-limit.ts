import type { Clock, Timer } from "#/std/time/clock.ts";

/** A response on its way to a client. */
export interface Sending {
  /** Whether the connection has taken all of it, or has ended. */
  readonly isSent: boolean;
  /** Cancels it: resets the stream, or ends the connection where it is the only one. */
  giveUp(): void;
}

/** Interval of checks for overdue responses, while any is pending (ms): no timer for each response. */
const lookMs = 1_000;

/**
 * Cancels responses that clients do not read: without a limit, a client that opens no window would keep them in memory.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/timeout.go, where a response that has begun and is over its
 * time is aborted.
 */
export class SendingLimit implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** Each with the time of its end. */
  readonly #pending = new Map<Sending, number>();
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Number of responses that are not sent, as far as known. */
  get size(): number {
    return this.#pending.size;
  }

  /** Limits a response; its time begins with the request. One to a late request has until the next check. */
  begin(sending: Sending, receivedMs: number): void {
    const leastMs = this.#clock.monotonicMs() + lookMs;
    this.#pending.set(sending, Math.max(receivedMs + this.#limitMs, leastMs));
    this.#timer ??= this.#lookLater();
  }

  /** All of it was written, or its connection has ended; it stays limited until it is sent. */
  written(sending: Sending): void {
    if (sending.isSent) this.#pending.delete(sending);
    else if (!this.#pending.has(sending)) this.begin(sending, this.#clock.monotonicMs());
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #lookLater(): Timer {
    return this.#clock.setTimer(lookMs, () => this.#look(), { keepAlive: false });
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [sending, untilMs] of this.#pending) {
      if (!sending.isSent && untilMs > nowMs) continue;
      this.#pending.delete(sending);
      if (!sending.isSent) sending.giveUp();
    }
    this.#timer = this.#pending.size > 0 ? this.#lookLater() : undefined;
  }
}
