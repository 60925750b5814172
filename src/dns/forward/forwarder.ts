import type { Clock } from "#/std/time/clock.ts";
import { type ExchangeOptions, exchange, type Upstream } from "./exchange.ts";

/** How long one server may take before the next one is asked. */
const attemptMs = 2000;
/** How often a question is sent in all. */
const maxAttempts = 3;
/** How long a server that didn't answer is asked only if no other can be. */
const downMs = 10_000;

export interface ForwarderOptions {
  /** The servers to ask, as they are now. */
  upstreams(): readonly Upstream[];
  readonly clock: Clock;
  /** Asks one of them; replaced in tests. */
  readonly exchange?: (
    upstream: Upstream,
    message: Buffer,
    options: ExchangeOptions,
  ) => Promise<Buffer>;
  /** Called with what became of each attempt. */
  onAttempt?(upstream: Upstream, seconds: number, error: unknown): void;
}

/** Asks other servers, each in its turn, and those that answer before those that didn't. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  /** Until when servers are left alone, by address. */
  readonly #down = new Map<string, number>();
  #next = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Whether there is anybody to ask. */
  get available(): boolean {
    return this.#options.upstreams().length > 0;
  }

  /** The answer of some server, with an id of its own; throws if none answers. */
  async forward(message: Buffer): Promise<Buffer> {
    const { clock, onAttempt } = this.#options;
    const ask = this.#options.exchange ?? exchange;
    let failure: unknown = new Error("no upstream server");
    for (const upstream of this.#order().slice(0, maxAttempts)) {
      const began = clock.monotonicMs();
      const seconds = (): number => (clock.monotonicMs() - began) / 1000;
      try {
        const reply = await ask(upstream, message, { clock, timeoutMs: attemptMs });
        this.#down.delete(addressOf(upstream));
        onAttempt?.(upstream, seconds(), undefined);
        return reply;
      } catch (error) {
        failure = error;
        this.#down.set(addressOf(upstream), clock.monotonicMs() + downMs);
        onAttempt?.(upstream, seconds(), error);
      }
    }
    throw failure;
  }

  /** All servers, beginning with another one each time; if there are few, each is tried again. */
  #order(): Upstream[] {
    const all = this.#options.upstreams();
    const start = this.#next++ % Math.max(all.length, 1);
    const rotated = [...all.slice(start), ...all.slice(0, start)];
    const now = this.#options.clock.monotonicMs();
    const isDown = (upstream: Upstream): boolean =>
      (this.#down.get(addressOf(upstream)) ?? 0) > now;
    const order = [...rotated.filter((each) => !isDown(each)), ...rotated.filter(isDown)];
    return order.length < maxAttempts ? [...order, ...order] : order;
  }
}

function addressOf({ host, port }: Upstream): string {
  return `${host} ${port}`;
}
