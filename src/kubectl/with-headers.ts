import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport.ts";

/** A transport that adds headers to each request. */
export class WithHeaders implements Transport {
  readonly #inner: Transport;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(inner: Transport, headers: Readonly<Record<string, string>>) {
    this.#inner = inner;
    this.#headers = headers;
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
    return { ...request, headers: { ...this.#headers, ...request.headers } };
  }
}
