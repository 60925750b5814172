import type { Clock } from "#/std/time/clock.ts";

interface PullSlotsOptions {
  readonly clock: Clock;
  /** How many pulls at a time; undefined is no limit. */
  readonly maxParallel: number | undefined;
  /** How many pulls may start per second; 0 is no limit. */
  readonly qps: number;
  /** How many may start at once after a quiet time. */
  readonly burst: number;
}

/** Lets pulls through as many at a time, and as often, as the configuration allows. */
export class PullSlots {
  readonly #options: PullSlotsOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #tokens: number;
  #countedMs: number;

  constructor(options: PullSlotsOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#countedMs = options.clock.monotonicMs();
  }

  /** Throws upstream's message if pulls are asked for too often. */
  async run<T>(pull: () => Promise<T>): Promise<T> {
    const { maxParallel = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#running >= maxParallel) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      this.#takeToken();
      return await pull();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
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
