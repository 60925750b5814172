/** Upstream: staging/src/k8s.io/client-go/rest/request.go (Timeout). */
import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport/transport.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { CommandError, PlainError } from "./errors.ts";

/** Shortest time (ms) in which a request can be created. */
const shortestMs = 0.02;

const exceeded = "context deadline exceeded";

/** The timeout expired before a request was sent. */
export class DeadlineError extends CommandError {}

/** Upstream's message if it detects this only when it connects: for requests with a streamed response. */
export const unreachable = (): Error =>
  new PlainError(`Unable to connect to the server: ${exceeded}`);

/** A transport that also sends its timeout to the server, and rejects a timeout that expires before a request is sent. */
export class TimeLimited implements Transport {
  readonly #inner: Transport;
  readonly #timeoutMs: number;

  constructor(inner: Transport, timeoutMs: number) {
    this.#inner = inner;
    this.#timeoutMs = timeoutMs;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    return this.#inner.request({ timeoutMs: this.#timeoutMs, ...this.#limited(request) });
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    return this.#inner.stream(this.#limited(request, unreachable));
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    yield* this.#inner.watch(this.#limited(request, unreachable));
  }

  async upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    return this.#inner.upgrade(this.#limited(request), protocols);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  #limited(request: ApiRequest, failure = () => new DeadlineError(exceeded)): ApiRequest {
    if (this.#timeoutMs < shortestMs) throw failure();
    return { ...request, query: withTimeout(request.query, formatDuration(this.#timeoutMs)) };
  }
}

function withTimeout(query: ApiRequest["query"], timeout: string): ApiRequest["query"] {
  if (!(query instanceof URLSearchParams)) return { ...query, timeout };
  const added = new URLSearchParams(query);
  added.set("timeout", timeout);
  return added;
}
