import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ForwardConfig, Upstream } from "../corefile/dns-config.ts";
import type { ExchangeOptions } from "./exchange.ts";

/** Limit of attempts per question. */
const maxAttempts = 3;
/** How long (ms) a failed server is used only if there is no other. */
const downMs = 10_000;

interface ForwarderOptions {
  /** The current upstream servers. */
  upstreams(): readonly Upstream[];
  readonly clock: Clock;
  readonly random: Random;
  readonly config: Pick<ForwardConfig, "policy" | "timeoutMs" | "transport">;
  /** Sends a question to one of them. */
  readonly exchange: (
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
    const { clock, onAttempt, config, exchange } = this.#options;
    const { timeoutMs, transport } = config;
    let failure: unknown = new Error("no upstream server");
    for (const upstream of this.#order().slice(0, maxAttempts)) {
      const began = clock.monotonicMs();
      const seconds = (): number => (clock.monotonicMs() - began) / 1000;
      try {
        const reply = await exchange(upstream, message, { timeoutMs, transport });
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

  /** All servers, in the order of the policy; if there are few, each is tried again. */
  #order(): Upstream[] {
    const all = this.#options.upstreams();
    const start = this.#first(all.length);
    const rotated = [...all.slice(start), ...all.slice(0, start)];
    const now = this.#options.clock.monotonicMs();
    const isDown = (upstream: Upstream): boolean =>
      (this.#down.get(addressOf(upstream)) ?? 0) > now;
    const order = [...rotated.filter((each) => !isDown(each)), ...rotated.filter(isDown)];
    return order.length < maxAttempts ? [...order, ...order] : order;
  }

  #first(count: number): number {
    const { config, random } = this.#options;
    if (config.policy === "sequential") return 0;
    if (config.policy === "random") return Math.floor(random() * count);
    return this.#next++ % Math.max(count, 1);
  }
}

function addressOf({ host, port }: Upstream): string {
  return `${host} ${port}`;
}
