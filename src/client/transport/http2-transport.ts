/** Upstream: staging/src/k8s.io/client-go/rest, staging/src/k8s.io/client-go/transport. */
import { Readable } from "node:stream";
import { parseIp } from "#/std/net/ip.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { connectTls } from "#/std/tls/connect-tls.ts";
import { requestTimeoutMs, TimeoutError } from "./connection-error.ts";
import {
  type Credentials,
  openCredentials,
  type TlsIdentity,
  valueSeparator,
} from "./credentials.ts";
import { parseEvents, splitLines } from "./event-lines.ts";
import { bodyBytes, parseBody, requestHeaders } from "./http-messages.ts";
import { Http2Connections, NotHttp2Error } from "./http2-connections.ts";
import { Http2Exchange, Http2Failure } from "./http2-exchange.ts";
import { HttpsTransport, type HttpsTransportOptions } from "./https-transport.ts";
import { responseError } from "./response-error.ts";
import { ServerAddress } from "./server-address.ts";
import { tlsOptions } from "./tls-options.ts";
import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Headers,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "./transport.ts";
import { parseWarnings } from "./warning-headers.ts";

/** Limit of the tries of a request that the server has not seen: it closes connections as it likes. */
const maxTries = 3;

/**
 * For components: all requests and watches share one HTTP/2 connection. The rest goes over HTTP/1.1: upgrades, bodies
 * that are streams, proxies, and servers without TLS or HTTP/2.
 */
export class Http2Transport implements Transport {
  readonly #options: HttpsTransportOptions & { readonly credentials: Credentials };
  readonly #server: ServerAddress;
  readonly #clock: Clock;
  readonly #general: HttpsTransport;
  #isMultiplexed: boolean;
  #connections: { readonly identity: TlsIdentity; readonly all: Http2Connections } | undefined;
  #isClosed = false;

  constructor(options: HttpsTransportOptions) {
    this.#options = { ...options, credentials: options.credentials ?? openCredentials({}) };
    this.#server = new ServerAddress(options.server);
    this.#clock = options.clock ?? systemClock;
    this.#general = new HttpsTransport(this.#options);
    const hasProxy = options.proxyUrl || this.#server.proxyUrl();
    this.#isMultiplexed = this.#server.isSecure && !hasProxy;
  }

  get host(): string {
    return this.#server.host;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (!this.#takes(request)) return this.#general.request(request);
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs ?? requestTimeoutMs;
    const response = await this.#orGeneral(async () => {
      using call = new LimitedCall(request, timeoutMs, this.#clock);
      const exchange = await this.#send(request, call);
      const { status, headers } = await exchange.head;
      const text = await exchange.text().catch((error: unknown) => {
        throw this.#server.failure(request, error);
      });
      const body = parseBody(text, headers);
      return { status, headers, body, warnings: parseWarnings(headers["warning"]) };
    });
    return response ?? this.#general.request(request);
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const opened = this.#takes(request) ? await this.#openStream(request) : undefined;
    return opened ?? this.#general.stream(request);
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const opened = this.#takes(request) ? await this.#openStream(request) : undefined;
    if (!opened) {
      yield* this.#general.watch(request);
      return;
    }
    const { status, headers, chunks } = opened;
    if (status !== 200) throw await refusal(request, status, headers, chunks);
    yield* parseEvents(splitLines(chunks));
  }

  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    return this.#general.upgrade(request, protocols);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#connections?.all.close();
    await this.#general[Symbol.asyncDispose]();
  }

  #takes({ body }: ApiRequest): boolean {
    return this.#isMultiplexed && !this.#isClosed && !(body instanceof Readable);
  }

  /** A response whose body is read later: the limit is that of its head. */
  async #openStream(request: ApiRequest): Promise<ApiStream | undefined> {
    const call = new LimitedCall(request, request.timeoutMs, this.#clock);
    return this.#orGeneral(async () => {
      try {
        const exchange = await this.#send(request, call);
        const { status, headers } = await exchange.head;
        call.limitEnds();
        return { status, headers, chunks: this.#chunks(request, exchange, call) };
      } catch (error) {
        call[Symbol.dispose]();
        throw error;
      }
    });
  }

  async *#chunks(
    request: ApiRequest,
    exchange: Http2Exchange,
    call: LimitedCall,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* exchange.chunks();
    } catch (error) {
      throw this.#server.failure(request, error);
    } finally {
      call[Symbol.dispose]();
    }
  }

  /** Undefined if the server doesn't speak HTTP/2. */
  async #orGeneral<T>(send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NotHttp2Error)) throw error;
      this.#isMultiplexed = false;
      return undefined;
    }
  }

  /** Sends a request until its head arrives; again if the server has not seen it. */
  async #send(request: ApiRequest, call: LimitedCall): Promise<Http2Exchange> {
    for (let tries = 1; ; tries++) {
      const exchange = new Http2Exchange();
      const { credentials, userAgent } = this.#options;
      const [proof, identity] = await Promise.all([credentials.headers(), credentials.tls()]);
      const fields = this.#fields(request, requestHeaders(request, proof, userAgent));
      let isKept = false;
      try {
        call.follow(exchange);
        const body = Buffer.from(bodyBytes(request.body) ?? "");
        const connections = this.#connectionsFor(identity);
        isKept = await connections.send(fields, body, exchange, call.signal);
        const { status } = await exchange.head;
        if (status === 401) await credentials.refused?.(proof);
        return exchange;
      } catch (error) {
        const mayRepeat = error instanceof Http2Failure && tries < maxTries;
        const isStale = isKept && request.method === "GET";
        if (error instanceof NotHttp2Error) throw error;
        if (!mayRepeat || (error.seen && !isStale))
          throw this.#server.failure(request, call.reason ?? error);
      }
    }
  }

  #connectionsFor(identity: TlsIdentity): Http2Connections {
    if (this.#isClosed) throw new Error("the client was closed");
    if (this.#connections?.identity === identity) return this.#connections.all;
    this.#connections?.all.retire();
    const { hostname: host, port } = this.#server;
    const tls = tlsOptions(identity);
    const connect = () =>
      connectTls({
        ...{ host, port, servername: parseIp(host) ? "" : host },
        ALPNProtocols: ["h2", "http/1.1"],
        ...tls,
      });
    const all = new Http2Connections({ clock: this.#clock, connect });
    this.#connections = { identity, all };
    return all;
  }

  #fields(request: ApiRequest, headers: Headers): string[] {
    const fields = [
      ...[":method", request.method, ":scheme", "https"],
      ...[":authority", this.#server.host, ":path", this.#server.target(request)],
    ];
    for (const [name, values] of Object.entries(headers)) {
      for (const value of values.split(valueSeparator)) fields.push(name.toLowerCase(), value);
    }
    return fields;
  }
}

/** Ends an exchange when its signal aborts or its time is over. */
class LimitedCall implements Disposable {
  readonly #request: ApiRequest;
  readonly #over = new AbortController();
  readonly #timer: Disposable | undefined;
  #exchange: Http2Exchange | undefined;

  constructor(request: ApiRequest, timeoutMs: number | undefined, clock: Clock) {
    request.signal?.throwIfAborted();
    this.#request = request;
    request.signal?.addEventListener("abort", this.#abort, { once: true });
    const expire = () => this.#cancel(new TimeoutError());
    this.#timer = timeoutMs ? clock.setTimer(timeoutMs, expire, { keepAlive: false }) : undefined;
  }

  /** Aborts with the call. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Why the call was ended from our side; undefined if it was not. */
  get reason(): unknown {
    return this.#over.signal.aborted ? this.#over.signal.reason : undefined;
  }

  follow(exchange: Http2Exchange): void {
    this.#exchange = exchange;
    this.#over.signal.throwIfAborted();
  }

  /** The time is not limited any more. */
  limitEnds(): void {
    this.#timer?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#request.signal?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#cancel(this.#request.signal?.reason);

  #cancel(reason: unknown): void {
    this.#over.abort(reason);
    this.#exchange?.cancel(reason);
  }
}

async function refusal(
  request: ApiRequest,
  status: number,
  headers: Headers,
  chunks: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const body = parseBody(Buffer.concat(parts).toString(), headers);
  const error = responseError(request, { status, headers, body });
  return error ?? new Error(`unexpected status ${status} of a request for a stream`);
}
