import type { TLSSocket } from "node:tls";
import { exchange, type HttpRequest } from "#/std/http1/exchange.ts";
import type { HttpResponse } from "#/std/http1/response-reader.ts";
import { parseIp } from "#/std/net/ip.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { connectTls } from "#/std/tls/connect-tls.ts";
import {
  connectTimeoutMs,
  dialTimeout,
  requestTimeoutMs,
  TimeoutError,
} from "./connection-error.ts";
import { type Credentials, openCredentials, type TlsIdentity } from "./credentials.ts";
import { bodyBytes, parseBody, repeated, requestHeaders } from "./http-messages.ts";
import type { HttpsTransport, HttpsTransportOptions } from "./https-transport.ts";
import { ServerAddress } from "./server-address.ts";
import { tlsOptions } from "./tls-options.ts";
import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "./transport.ts";
import { parseWarnings } from "./warning-headers.ts";

/** A connection to the server, and the identity it was opened with. */
interface Connection {
  readonly identity: TlsIdentity;
  readonly socket: TLSSocket;
}

/**
 * For short-lived programs: short requests, one by one, on a connection of its own. Loading
 * node:http takes longer than the whole work of such a program, so it is loaded only for the rest:
 * streams, parallel requests, proxies, servers without TLS.
 */
export class QuickTransport implements Transport {
  readonly #options: HttpsTransportOptions & { readonly credentials: Credentials };
  readonly #server: ServerAddress;
  readonly #clock: Clock;
  readonly #isDirect: boolean;
  #connection: Connection | undefined;
  #isBusy = false;
  #isClosed = false;
  #general: Promise<HttpsTransport> | undefined;

  constructor(options: HttpsTransportOptions) {
    this.#options = { ...options, credentials: options.credentials ?? openCredentials({}) };
    this.#server = new ServerAddress(options.server);
    this.#clock = options.clock ?? systemClock;
    const hasProxy = options.proxyUrl || this.#server.proxyUrl();
    this.#isDirect = this.#server.isSecure && !hasProxy;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (!this.#isDirect || this.#isBusy || this.#isClosed) {
      return (await this.#everythingElse()).request(request);
    }
    this.#isBusy = true;
    try {
      const { status, headers, body } = await this.#answer(request);
      const warnings = parseWarnings(headers["warning"]);
      return { status, headers, body: parseBody(body.toString(), headers), warnings };
    } finally {
      this.#isBusy = false;
    }
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    return (await this.#everythingElse()).stream(request);
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    yield* (await this.#everythingElse()).watch(request);
  }

  async upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    return (await this.#everythingElse()).upgrade(request, protocols);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#connection?.socket.destroy();
    await (await this.#general)?.[Symbol.asyncDispose]();
    this.#options.credentials[Symbol.dispose]();
  }

  #everythingElse(): Promise<HttpsTransport> {
    this.#general ??= this.#openGeneral();
    return this.#general;
  }

  async #openGeneral(): Promise<HttpsTransport> {
    const { HttpsTransport } = await import("./https-transport.ts");
    const general = new HttpsTransport(this.#options);
    // A closed transport refuses requests.
    if (this.#isClosed) await general[Symbol.asyncDispose]();
    return general;
  }

  async #answer(request: ApiRequest): Promise<HttpResponse> {
    const { credentials, userAgent } = this.#options;
    const [proof, identity] = await Promise.all([credentials.headers(), credentials.tls()]);
    const headers = repeated(requestHeaders(request, proof, userAgent));
    const message: HttpRequest = {
      method: request.method,
      target: this.#server.target(request),
      headers: { host: this.#server.host, ...headers },
      body: bodyBytes(request.body),
    };
    const response = await this.#exchange(request, message, identity);
    if (response.status === 401) await credentials.refused?.(proof);
    return response;
  }

  /** Sends a message over the kept connection, or over a new one if that was closed. */
  async #exchange(
    request: ApiRequest,
    message: HttpRequest,
    identity: TlsIdentity,
  ): Promise<HttpResponse> {
    const kept = this.#kept(identity);
    try {
      return await this.#send(kept ?? this.#connect(identity), request, message);
    } catch (error) {
      const isStale = kept && request.method === "GET" && !(error instanceof TimeoutError);
      if (request.signal?.aborted || !isStale) throw this.#server.failure(request, error);
    }
    return this.#send(this.#connect(identity), request, message).catch((error: unknown) => {
      throw this.#server.failure(request, error);
    });
  }

  /** The kept connection, unless it has ended or has another identity. */
  #kept(identity: TlsIdentity): TLSSocket | undefined {
    const { socket, identity: known } = this.#connection ?? {};
    if (known === identity && socket?.writable && !socket.readableEnded) return socket;
    socket?.destroy();
    return undefined;
  }

  #connect(identity: TlsIdentity): TLSSocket {
    const { hostname: host, port } = this.#server;
    const servername = parseIp(host) ? "" : host;
    const socket = connectTls({
      host,
      port,
      servername,
      ALPNProtocols: ["http/1.1"],
      ...tlsOptions(identity),
    });
    socket.setNoDelay();
    // Between two requests there is no other listener; the next request sees that the connection
    // has ended.
    socket.on("error", () => undefined);
    const late = () => socket.destroy(dialTimeout());
    const timer = this.#clock.setTimer(connectTimeoutMs, late, { keepAlive: false });
    for (const event of ["secureConnect", "close"]) socket.once(event, () => timer.cancel());
    this.#connection = { identity, socket };
    return socket;
  }

  /** Waits for a response until the timeout or an abort. */
  async #send(socket: TLSSocket, request: ApiRequest, message: HttpRequest): Promise<HttpResponse> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? requestTimeoutMs } = request;
    signal?.throwIfAborted();
    const expire = () => socket.destroy(new TimeoutError());
    using _timer = this.#clock.setTimer(timeoutMs, expire, { keepAlive: false });
    const abort = () => socket.destroy();
    signal?.addEventListener("abort", abort, { once: true });
    socket.ref();
    try {
      return await exchange(socket, message);
    } finally {
      // An idle connection must not keep the process alive.
      socket.unref();
      signal?.removeEventListener("abort", abort);
    }
  }
}
