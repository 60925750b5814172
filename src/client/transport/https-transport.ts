/** Upstream: staging/src/k8s.io/client-go/rest, staging/src/k8s.io/client-go/transport. */
import { randomBytes } from "node:crypto";
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { type Duplex, pipeline, Readable } from "node:stream";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { TrustingAgent, type TrustingAgentOptions } from "#/std/tls/trusting-agent.ts";
import {
  connectTimeoutMs,
  dialTimeout,
  requestTimeoutMs,
  TimeoutError,
} from "./connection-error.ts";
import { type Credentials, openCredentials, type TlsIdentity } from "./credentials.ts";
import {
  bodyBytes,
  headersOf,
  parseBody,
  protocolOf,
  readAll,
  refusal,
  repeated,
  requestHeaders,
  upgradeHeaders,
} from "./http-messages.ts";
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

export interface HttpsTransportOptions {
  /** The server's URL, which may have a path; plain http is possible. */
  readonly server: string;
  readonly credentials?: Credentials;
  /**
   * URL of an HTTP proxy; default that of the environment (HTTPS_PROXY, NO_PROXY), by Go's rules.
   */
  readonly proxyUrl?: string | undefined;
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Limit of all responses but streams; default 90 s, as servers give up after 60. */
  readonly timeoutMs?: number;
}

// An import of node:http loads all of undici for its WebSocket: 20 ms.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule("node:http");

/** Limit of connections for short requests: with more, requests would wait in the server. */
const maxConnections = 64;
const idleConnections = 25;
/** Idle time (ms) before TCP keep-alive probes; the system gives up ten seconds later. */
const keepAliveProbeMs = 30_000;

/** Agents by use: short requests share connections, each stream and each upgrade has its own. */
interface Agents {
  readonly identity: TlsIdentity;
  readonly short: Agent;
  readonly long: Agent;
  readonly fresh: Agent;
}

/** How to wait for a response. */
interface Sending {
  readonly over: "short" | "long" | "fresh";
  readonly timeoutMs: number | undefined;
}

/** Requests over the network: HTTP/1.1 with kept connections. */
export class HttpsTransport implements Transport {
  readonly #options: HttpsTransportOptions;
  readonly #server: ServerAddress;
  readonly #credentials: Credentials;
  /** The credentials that were sent with each request. */
  readonly #sent = new WeakMap<ClientRequest, Headers>();
  readonly #clock: Clock;
  #agents: Agents | undefined;
  #isClosed = false;

  constructor(options: HttpsTransportOptions) {
    this.#options = options;
    this.#server = new ServerAddress(options.server);
    this.#credentials = options.credentials ?? openCredentials({});
    this.#clock = options.clock ?? systemClock;
  }

  get host(): string {
    return this.#server.host;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs ?? requestTimeoutMs;
    return this.#within(request, timeoutMs, async (limited) => {
      const response = await this.#answer(limited, { over: "short", timeoutMs: undefined });
      const headers = headersOf(response);
      const body = parseBody(await readAll(response), headers);
      const warnings = parseWarnings(headers["warning"]);
      return { status: response.statusCode ?? 0, headers, body, warnings };
    });
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const response = await this.#answer(request, { over: "long", timeoutMs: request.timeoutMs });
    const chunks = this.#chunks(request, response);
    return { status: response.statusCode ?? 0, headers: headersOf(response), chunks };
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const response = await this.#answer(request, { over: "long", timeoutMs: request.timeoutMs });
    if (response.statusCode !== 200) throw await refusal(request, response);
    const { parseEvents, splitLines } = await import("./event-lines.ts");
    yield* parseEvents(splitLines(this.#chunks(request, response)));
  }

  async upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    const { acceptKey } = await import("#/std/websocket/handshake.ts");
    const key = randomBytes(16).toString("base64");
    const headers = { ...upgradeHeaders(request, key, protocols), ...request.headers };
    const asked = { ...request, headers };
    const outgoing = await this.#open(asked, { over: "fresh", timeoutMs: request.timeoutMs });
    const answered = Promise.withResolvers<UpgradedStream>();
    outgoing.once("upgrade", (response: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { upgrade = "" } = response.headers;
      const expected = headers["sec-websocket-key"] === key ? acceptKey(key) : undefined;
      if (expected !== undefined && response.headers["sec-websocket-accept"] !== expected) {
        socket.destroy();
        answered.reject(
          this.#server.failure(request, new Error("challenge response is incorrect")),
        );
      } else answered.resolve({ protocol: protocolOf(response), upgrade, socket, head });
    });
    outgoing.once("response", (response: IncomingMessage) => {
      refusal(request, response).then(answered.reject, answered.reject);
    });
    outgoing.once("error", (error) => answered.reject(this.#server.failure(request, error)));
    outgoing.end();
    return answered.promise;
  }

  /** Aborts open requests. Later requests are refused: no connection outlives its owner. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const { short, long, fresh } = this.#agents ?? {};
    for (const agent of [short, long, fresh]) agent?.destroy();
    this.#credentials[Symbol.dispose]();
  }

  /** The head of the response; retries once if a kept connection was closed. */
  async #answer(request: ApiRequest, sending: Sending): Promise<IncomingMessage> {
    const outgoing = await this.#open(request, sending);
    try {
      return await this.#exchange(outgoing, request);
    } catch (error) {
      const isOnce = request.method !== "GET" || request.body instanceof Readable;
      const stale = outgoing.reusedSocket && !isOnce && !isTimeout(error);
      if (request.signal?.aborted || !stale) throw this.#server.failure(request, error);
    }
    const again = await this.#open(request, sending);
    return this.#exchange(again, request).catch((error: unknown) => {
      throw this.#server.failure(request, error);
    });
  }

  #exchange(outgoing: ClientRequest, request: ApiRequest): Promise<IncomingMessage> {
    const answered = Promise.withResolvers<IncomingMessage>();
    outgoing.once("response", (response: IncomingMessage) => {
      const sent = response.statusCode === 401 ? this.#sent.get(outgoing) : undefined;
      const renewed = sent && this.#credentials.refused?.(sent);
      answered.resolve(renewed ? renewed.then(() => response) : response);
    });
    outgoing.on("error", answered.reject);
    if (request.body instanceof Readable) {
      pipeline(request.body, outgoing, (error) => void (error && answered.reject(error)));
      return answered.promise;
    }
    const body = bodyBytes(request.body);
    // Node sets it only for methods that usually have a body, not for DELETE.
    if (body !== undefined) outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
    return answered.promise;
  }

  async #open(request: ApiRequest, { over, timeoutMs }: Sending): Promise<ClientRequest> {
    request.signal?.throwIfAborted();
    const [proof, identity] = await Promise.all([
      this.#credentials.headers(),
      this.#credentials.tls(),
    ]);
    if (this.#isClosed) throw this.#server.failure(request, new Error("the client was closed"));
    const agents = this.#agentsFor(identity);
    const { isSecure, hostname, port } = this.#server;
    const outgoing = (isSecure ? httpsRequest : httpRequest)({
      method: request.method,
      hostname,
      port,
      path: this.#server.target(request),
      headers: repeated(requestHeaders(request, proof, this.#options.userAgent)),
      agent: agents[over],
      ...(request.signal ? { signal: request.signal } : {}),
    });
    this.#sent.set(outgoing, proof);
    this.#limit(outgoing, timeoutMs);
    return outgoing;
  }

  /** Limits the time to connect, and the time to the response if that is limited. */
  #limit(outgoing: ClientRequest, timeoutMs: number | undefined): void {
    const expire = () => outgoing.destroy(new TimeoutError());
    if (timeoutMs) {
      const timer = this.#clock.setTimer(timeoutMs, expire, { keepAlive: false });
      outgoing.once("response", () => timer.cancel());
      outgoing.once("upgrade", () => timer.cancel());
      outgoing.once("close", () => timer.cancel());
    }
    outgoing.once("socket", (socket) => {
      if (!socket.connecting) return;
      const fail = () => outgoing.destroy(dialTimeout());
      const timer = this.#clock.setTimer(connectTimeoutMs, fail, { keepAlive: false });
      socket.once(this.#server.isSecure ? "secureConnect" : "connect", () => timer.cancel());
      outgoing.once("close", () => timer.cancel());
    });
  }

  #agentsFor(identity: TlsIdentity): Agents {
    if (this.#agents?.identity === identity) return this.#agents;
    const old = this.#agents;
    const tls = this.#server.isSecure ? tlsOptions(identity) : undefined;
    this.#agents = {
      identity,
      short: this.#agent(tls, { keepAlive: true, maxSockets: maxConnections }),
      long: this.#agent(tls, { keepAlive: true }),
      fresh: this.#agent(tls, { keepAlive: false }),
    };
    if (old) for (const agent of [old.short, old.long]) retire(agent);
    return this.#agents;
  }

  #agent(
    tls: TrustingAgentOptions | undefined,
    limits: { readonly keepAlive: boolean; readonly maxSockets?: number },
  ): Agent {
    const proxyUrl = this.#options.proxyUrl || this.#server.proxyUrl();
    const common = {
      keepAliveMsecs: keepAliveProbeMs,
      maxFreeSockets: idleConnections,
      proxyEnv: proxyUrl ? { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } : {},
      ...limits,
    };
    return tls ? new TrustingAgent({ ...common, ...tls }) : new HttpAgent(common);
  }

  /** A body as it arrives; leaving the loop aborts the request. */
  async *#chunks(request: ApiRequest, response: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      yield* response as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#server.failure(request, error);
    } finally {
      response.destroy();
    }
  }

  /** Runs with a signal that also aborts after the timeout. */
  async #within<R>(
    request: ApiRequest,
    timeoutMs: number,
    run: (limited: ApiRequest) => Promise<R>,
  ): Promise<R> {
    const over = new AbortController();
    const expire = () => over.abort(new TimeoutError());
    using _timer = this.#clock.setTimer(timeoutMs, expire, { keepAlive: false });
    const signal = request.signal ? AbortSignal.any([request.signal, over.signal]) : over.signal;
    try {
      return await run({ ...request, signal });
    } catch (error) {
      throw over.signal.aborted && !request.signal?.aborted
        ? this.#server.failure(request, over.signal.reason)
        : error;
    }
  }
}

const isTimeout = (error: unknown): boolean => error instanceof TimeoutError;

/** Closes idle connections; those in use are closed after their requests. */
function retire(agent: Agent): void {
  Object.assign(agent, { keepAlive: false });
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
