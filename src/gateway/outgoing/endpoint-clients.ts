import type { Clock } from "#/std/time/clock.ts";
import type { Endpoint } from "../backends/resolve-backend.ts";
import type { EndpointClient } from "./answer.ts";
import { Http1Pool } from "./http1-pool.ts";
import { Http2Pool } from "./http2-pool.ts";

/** The connections to all endpoints. Those of an endpoint that is gone end when they have been idle for long. */
export class EndpointClients implements Disposable {
  readonly #clock: Clock;
  readonly #http1 = new Map<string, EndpointClient>();
  readonly #http2 = new Map<string, EndpointClient>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  [Symbol.dispose](): void {
    for (const client of this.#all()) client[Symbol.dispose]();
  }

  of(endpoint: Endpoint): EndpointClient {
    const { key, isHttp2 } = endpoint;
    const known = isHttp2 ? this.#http2 : this.#http1;
    const found = known.get(key);
    if (found) return found;
    const client = isHttp2 ? new Http2Pool(endpoint, this.#clock) : new Http1Pool(endpoint);
    known.set(key, client);
    return client;
  }

  /** Ends what waits too long; called at intervals. */
  check(nowMs: number): void {
    for (const clients of [this.#http1, this.#http2]) {
      for (const [key, client] of clients) {
        client.check(nowMs);
        if (client.isUnused) clients.delete(key);
      }
    }
  }

  *#all(): Generator<EndpointClient> {
    yield* this.#http1.values();
    yield* this.#http2.values();
  }
}
