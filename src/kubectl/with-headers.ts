import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport.ts";

/** What all requests of a command have. */
export interface CommandRequests {
  readonly headers: Readonly<Record<string, string>>;
  /** Ends them all. */
  readonly signal: AbortSignal;
}

/** A transport that adds headers to each request, and ends them together. */
export class WithHeaders implements Transport {
  readonly #inner: Transport;
  readonly #added: CommandRequests;

  constructor(inner: Transport, added: CommandRequests) {
    this.#inner = inner;
    this.#added = added;
  }

  request(request: ApiRequest): Promise<ApiResponse> {
    return this.#inner.request(this.#with(request));
  }

  stream(request: ApiRequest): Promise<ApiStream> {
    return this.#inner.stream(this.#with(request));
  }

  watch(request: ApiRequest): AsyncIterable<WatchEvent<unknown>> {
    return this.#inner.watch(this.#with(request));
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
