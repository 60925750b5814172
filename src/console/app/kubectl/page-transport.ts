import { ConnectionError } from "#/client/transport/connection-error.ts";
import { parseEvents, splitLines } from "#/client/transport/event-lines.ts";
import { bodyBytes, parseBody } from "#/client/transport/http-messages.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ApiStream,
  formatQuery,
  type Headers,
  type Transport,
  type UpgradedStream,
  type WatchEvent,
} from "#/client/transport/transport.ts";
import { parseWarnings } from "#/client/transport/warning-headers.ts";
import { fromStatus } from "#/machinery/meta/status-error.ts";
import { isConnected, viewedAs } from "../base/session.ts";
import { ApiFailure, apiUrl, requestHeaders } from "../data/api.ts";
import { byteStream } from "../data/stream.ts";
import type { PageConnection } from "./connection-options.ts";

/** In place of a connection that the browser itself makes. */
const unconnected = {
  protocol: "",
  upgrade: "websocket",
  head: new Uint8Array(),
} as UpgradedStream;

/** Headers that a browser sets itself. */
const browserHeaders = new Set(["user-agent", "host", "connection", "content-length"]);

/** Sends kubectl's requests as the page sends its own: with the same credentials, to the same server. */
export class QuickTransport implements Transport {
  readonly #connection: PageConnection;
  readonly #closed = new AbortController();

  constructor(connection: PageConnection) {
    this.#connection = connection;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const limit = request.timeoutMs ?? this.#connection.timeoutMs;
    const response = await this.#send(request, limit);
    const headers = headersOf(response);
    const body = parseBody(await response.text(), headers);
    return { status: response.status, headers, body, warnings: parseWarnings(headers["warning"]) };
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const response = await this.#send(request, undefined);
    return { status: response.status, headers: headersOf(response), chunks: chunksOf(response) };
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const signal = this.#signalOf(request);
    const path = `${request.path}${formatQuery(request.query)}`;
    const accept = request.headers?.["accept"] ?? "application/json";
    const options = { accept, signal, headers: this.#connection.headers };
    try {
      yield* parseEvents(splitLines(byteStream(path, options)));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const { status: code, reason, message } = error;
      throw fromStatus({ metadata: {}, status: "Failure", code, reason, message });
    }
  }

  /** Connects nothing: openRemoteCommand() does. It refuses requests whose headers would be lost. */
  async upgrade(): Promise<UpgradedStream> {
    if (viewedAs.peek() || Object.keys(this.#connection.headers).length > 0) {
      throw new Error("a page cannot impersonate another user in a container: leave out --as");
    }
    return unconnected;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
  }

  #signalOf({ signal }: ApiRequest): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
  }

  async #send(request: ApiRequest, timeoutMs: number | undefined): Promise<Response> {
    const { method, path, query, body } = request;
    const url = apiUrl(path + formatQuery(query));
    const signal = this.#signalOf(request);
    try {
      const bytes = bodyBytes(body);
      const response = await fetch(url, {
        method,
        headers: this.#headers(request),
        ...(bytes === undefined ? {} : { body: bytes as string | Uint8Array<ArrayBuffer> }),
        signal: timeoutMs ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) : signal,
        credentials: "same-origin",
        redirect: "error",
      });
      isConnected.value = true;
      return response;
    } catch (error) {
      if (!signal.aborted) isConnected.value = false;
      throw new ConnectionError({ method, url: url.href }, error);
    }
  }

  #headers({ headers, body }: ApiRequest): Record<string, string> {
    const own = Object.entries({ ...headers, ...this.#connection.headers });
    const sent = own.filter(([name]) => !browserHeaders.has(name));
    return {
      ...requestHeaders("application/json"),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...Object.fromEntries(sent),
    };
  }
}

const headersOf = ({ headers }: Response): Headers => Object.fromEntries(headers);

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}
