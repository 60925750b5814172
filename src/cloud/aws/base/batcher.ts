/** Upstream: cloud-provider-aws pkg/providers/v1/batcher. */
import type { Clock, Timer } from "#/std/time/clock.ts";

/** A batch is sent when nothing was added for this time (ms), or after the longer one in any case. */
const idleMs = 100;
const maxMs = 1_000;

interface BatcherOptions<Item, Result> {
  readonly clock: Clock;
  /** Limit of items in a window. */
  readonly maxItems: number;
  /** Items with the same key are sent together. */
  key(item: Item): string;
  /** Sends a batch; one result for each item, in their order. */
  execute(items: readonly Item[]): Promise<readonly PromiseSettledResult<Result>[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects calls for a short time and sends those that can be one call as one. */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #idle: Timer | undefined;
  #deadline: Timer | undefined;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const { clock, maxItems } = this.#options;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#idle?.cancel();
      if (this.#waiting.length >= maxItems) {
        this.#flush();
        return;
      }
      this.#idle = clock.setTimer(idleMs, () => this.#flush());
      this.#deadline ??= clock.setTimer(maxMs, () => this.#flush());
    });
  }

  #flush(): void {
    this.#idle?.cancel();
    this.#deadline?.cancel();
    this.#deadline = undefined;
    const groups = Map.groupBy(this.#waiting, ({ item }) => this.#options.key(item));
    this.#waiting = [];
    for (const group of groups.values()) void this.#send(group);
  }

  async #send(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.execute(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result?.status === "fulfilled") resolve(result.value);
        else reject(result ? result.reason : new Error("error making call"));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
