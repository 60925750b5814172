import type { Clock } from "#/std/time/clock.ts";
import { type ExchangeOptions, exchange, type Upstream } from "./exchange.ts";

/** Limit of one server's response time (ms) before the next one is tried. */
const attemptMs = 2000;
/** Limit of attempts per question. */
const maxAttempts = 3;
/** How long (ms) a failed server is used only if there is no other. */
const downMs = 10_000;

interface ForwarderOptions {
  /** The current upstream servers. */
  upstreams(): readonly Upstream[];
  readonly clock: Clock;
  /** Sends a question to one of them; replaced in tests. */
  readonly exchange?: (
    upstream: Upstream,
    message: Buffer,
    options: ExchangeOptions,
  ) => Promise<Buffer>;
  /** Called with the result of each attempt. */
  onAttempt?(upstream: Upstream, seconds: number, error: unknown): void;
}

/** Forwards questions to upstream servers in turn, to responding ones before failed ones. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  /** Until when failed servers are avoided, by address. */
  readonly #down = new Map<string, number>();
  #next = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Whether there is any upstream server. */
  get available(): boolean {
    return this.#options.upstreams().length > 0;
  }

  /** The response of a server, with an id of its own; throws if none responds. */
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

  /** All servers, each time starting with another one; if there are few, each is tried again. */
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
