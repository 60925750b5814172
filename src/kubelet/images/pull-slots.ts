import type { Clock } from "#/std/time/clock.ts";

interface PullSlotsOptions {
  readonly clock: Clock;
  /** Limit of concurrent pulls; undefined is no limit. */
  readonly maxParallel: number | undefined;
  /** Limit of started pulls per second; 0 is no limit. */
  readonly qps: number;
  /** Limit of pulls that may start at once after an idle time. */
  readonly burst: number;
}

/** Limits the number and the rate of pulls, as configured. */
export class PullSlots {
  readonly #options: PullSlotsOptions;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #tokens: number;
  #countedMs: number;

  constructor(options: PullSlotsOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#countedMs = options.clock.monotonicMs();
  }

  /** Throws upstream's message if the rate limit is exceeded, and the signal's reason if that aborts before its turn. */
  async run<T>(pull: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { maxParallel = Number.POSITIVE_INFINITY } = this.#options;
    signal.throwIfAborted();
    if (this.#running >= maxParallel) await this.#turn(signal);
    else this.#running++;
    try {
      this.#takeToken();
      return await pull();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#running--;
    }
  }

  /** Waits for the slot of a pull that ends. */
  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(start);
      signal.removeEventListener("abort", abort);
    };
    const start = (): void => {
      leave();
      resolve();
    };
    const abort = (): void => {
      leave();
      reject(signal.reason);
    };
    this.#waiting.add(start);
    signal.addEventListener("abort", abort);
    return promise;
  }

  #takeToken(): void {
    const { qps, burst, clock } = this.#options;
    if (qps <= 0) return;
    const now = clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#countedMs) * qps) / 1000);
    this.#countedMs = now;
    if (this.#tokens < 1) throw new Error("pull QPS exceeded");
    this.#tokens -= 1;
  }
}
