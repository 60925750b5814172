import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport/transport.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Common options of all requests of a command. */
interface CommandRequests {
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts them all. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Time limit of a watch; 0 for the server's limit. */
  readonly watchTimeoutMs: number;
}

/** Upstream reads these responses as bytes, so that the message of an error response is lost. */
const readByHand = /^\/(?:apis?|version|openapi\/v2)$/;
const credentialsWanted = "the server has asked for the client to provide credentials";

/** A transport that adds headers to each request, and one signal that aborts them. */
export class WithHeaders implements Transport {
  readonly #inner: Transport;
  readonly #added: CommandRequests;

  constructor(inner: Transport, added: CommandRequests) {
    this.#inner = inner;
    this.#added = added;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#inner.request(this.#with(request));
    if (response.status !== 401 || !readByHand.test(request.path)) return response;
    return { ...response, body: { ...(response.body as object), message: credentialsWanted } };
  }

  stream(request: ApiRequest): Promise<ApiStream> {
    return this.#inner.stream(this.#with(request));
  }

  /** Ends without an error at the time limit. */
  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const { clock, watchTimeoutMs } = this.#added;
    if (watchTimeoutMs <= 0) return yield* this.#inner.watch(this.#with(request));
    const over = new AbortController();
    using _timer = clock.setTimer(watchTimeoutMs, () => over.abort());
    const { signal = over.signal } = request;
    const limited = { ...request, signal: AbortSignal.any([signal, over.signal]) };
    try {
      yield* this.#inner.watch(this.#with(limited));
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
  }

  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    return this.#inner.upgrade(this.#with(request), protocols);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  #with(request: ApiRequest): ApiRequest {
    const { headers, signal } = this.#added;
    return {
      ...request,
      headers: { ...headers, ...request.headers },
      signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
    };
  }
}
