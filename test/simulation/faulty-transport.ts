import { ConnectionError } from "#/client/transport/connection-error.ts";
import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport/transport.ts";
import { resourceExpired } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Faults } from "./faults.ts";

export interface FaultyTransportOptions {
  readonly faults: Faults;
  readonly clock: Clock;
  /** Aborts when the component is killed: requests not sent by then never arrive. */
  readonly signal: AbortSignal;
  /** Open watches, so that they can be broken. */
  readonly openWatches: Set<AbortController>;
  /** Throws the error of a request that the server refuses. */
  readonly refuse?: (request: ApiRequest) => void;
  /** Called when a request is sent and when its response has arrived. */
  readonly observe?: (request: ApiRequest) => Disposable;
  /** Called when the component can't know whether a request was carried out. */
  readonly onUnknown?: (request: ApiRequest) => void;
}

const initialEventsEnd = "k8s.io/initial-events-end";

/** A network between a component and the API server that delays, loses and breaks connections. */
export class FaultyTransport implements Transport {
  readonly isWithoutNulls = true;
  readonly #inner: Transport;
  readonly #options: FaultyTransportOptions;

  constructor(inner: Transport, options: FaultyTransportOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { faults } = this.#options;
    await this.#delay();
    this.#assertAlive(request);
    if (faults.happens("lostRequest")) throw broken(request);
    this.#options.refuse?.(request);
    using _observed = this.#options.observe?.(request);
    const response = await this.#inner.request(request);
    const isLost = faults.happens("lostAnswer");
    if (isLost || response.status >= 500) this.#options.onUnknown?.(request);
    if (isLost) throw broken(request);
    await this.#delay();
    this.#assertAlive(request);
    return response;
  }

  stream(request: ApiRequest): Promise<ApiStream> {
    return this.#inner.stream(request);
  }

  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    return this.#inner.upgrade(request, protocols);
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const { faults, openWatches } = this.#options;
    await this.#delay();
    this.#assertAlive(request);
    if (faults.happens("lostRequest")) throw broken(request);
    this.#options.refuse?.(request);
    if (resumes(request) && faults.happens("goneWatch")) {
      throw resourceExpired("too old resource version: 1 (2)");
    }
    const cut = new AbortController();
    const signal = AbortSignal.any([cut.signal, ...(request.signal ? [request.signal] : [])]);
    openWatches.add(cut);
    try {
      for await (const event of this.#inner.watch({ ...request, signal })) {
        await this.#delay();
        if (cut.signal.aborted || faults.happens("brokenWatch")) break;
        if (isPlainBookmark(event) && faults.happens("lostBookmark")) continue;
        yield event;
      }
    } catch (error) {
      if (!cut.signal.aborted || request.signal?.aborted) throw error;
    } finally {
      openWatches.delete(cut);
    }
    request.signal?.throwIfAborted();
    if (cut.signal.aborted || faults.isOn) throw broken(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  async #delay(): Promise<void> {
    const { faults, clock } = this.#options;
    if (faults.happens("slow")) await clock.sleep(faults.delayMs());
  }

  #assertAlive(request: ApiRequest): void {
    if (this.#options.signal.aborted) throw broken(request);
    request.signal?.throwIfAborted();
  }
}

function broken({ method, path }: ApiRequest): ConnectionError {
  const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  return new ConnectionError({ method, url: `https://simulated${path}` }, cause);
}

function resumes({ query }: ApiRequest): boolean {
  const values = query instanceof URLSearchParams ? Object.fromEntries(query) : query;
  return Boolean(values?.["resourceVersion"]) && !values?.["sendInitialEvents"];
}

function isPlainBookmark({ type, object }: WatchEvent<unknown>): boolean {
  if (type !== "BOOKMARK") return false;
  const { metadata } = object as { metadata?: { annotations?: Record<string, string> } };
  return metadata?.annotations?.[initialEventsEnd] === undefined;
}
