import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { request as httpRequest } from "#/std/net/node-http.ts";
import type { TlsClientOptions } from "#/std/tls/connect-tls.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import { type Dial, httpAgent, httpsAgent } from "../egress/egress.ts";
import { addressOf, escapePath, type Location } from "./location.ts";

/** A request as it is to be sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly location: Location;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Readable | undefined;
  readonly signal: AbortSignal;
}

/** What a backend says to a request for an upgrade: a connection if it agrees. */
interface UpgradeAnswer {
  readonly response: IncomingMessage;
  readonly upgraded: { readonly socket: Duplex; readonly head: Uint8Array } | undefined;
}

/** A backend that couldn't be reached, with the message for clients. */
export class BackendError extends Error {
  override readonly name = "BackendError";
}

/** A backend must accept a connection within this; upstream's dialer has the same. */
const connectTimeoutMs = 30_000;
/** Idle connections that are kept for each backend. */
const idleConnections = 25;

/** How requests get to backends of one kind: with one client certificate, and one idea of whom to trust. */
export class Transport implements Disposable {
  /** How fast a connection may be that has been upgraded; 0 for any. */
  readonly bytesPerSecond: number;
  readonly #tls: () => TlsClientOptions;
  readonly #dial: Dial | undefined;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  /**
   * Certificates are looked up for each request; connections are shared as long as they stay the same, and made by
   * `dial`, if given.
   */
  constructor(tls: () => TlsClientOptions, dial?: Dial, bytesPerSecond = 0) {
    this.bytesPerSecond = bytesPerSecond;
    this.#tls = tls;
    this.#dial = dial;
    this.#http = httpAgent({ keepAlive: true, maxFreeSockets: idleConnections }, dial);
    this.#https = httpsAgent({ keepAlive: true, maxFreeSockets: idleConnections }, dial);
  }

  /** Sends a request; resolves with the answer's head. Rejects with a BackendError. */
  async send(outgoing: OutgoingRequest): Promise<IncomingMessage> {
    try {
      return await this.#send(outgoing);
    } catch (error) {
      // The backend had hung up on an idle connection: that says nothing about a new one.
      if (!(error instanceof StaleConnectionError)) throw error;
      return this.#send(outgoing);
    }
  }

  /** Asks for another protocol, on a connection of its own. Rejects with a BackendError. */
  upgrade(outgoing: OutgoingRequest): Promise<UpgradeAnswer> {
    const request = this.#open(outgoing, false);
    const answered = Promise.withResolvers<UpgradeAnswer>();
    request.once("upgrade", (response, socket, head) =>
      answered.resolve({ response, upgraded: { socket, head } }),
    );
    request.once("response", (response) => answered.resolve({ response, upgraded: undefined }));
    request.once("error", (error) =>
      answered.reject(new BackendError(dialFailure(error, addressOf(outgoing.location)))),
    );
    request.end();
    return answered.promise;
  }

  /** Keeps no connections any more; those in use end with what they are used for. */
  [Symbol.dispose](): void {
    for (const agent of [this.#http, this.#https]) {
      Object.assign(agent, { keepAlive: false });
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }

  #send(outgoing: OutgoingRequest): Promise<IncomingMessage> {
    const { body, location } = outgoing;
    const request = this.#open(outgoing, true);
    const answered = Promise.withResolvers<IncomingMessage>();
    request.once("response", answered.resolve);
    request.on("error", (error) => {
      const stale = request.reusedSocket && !body && !outgoing.signal.aborted;
      const Failure = stale ? StaleConnectionError : BackendError;
      answered.reject(new Failure(dialFailure(error, addressOf(location))));
    });
    if (!body) request.end();
    else {
      body.once("error", (error) => request.destroy(error));
      body.pipe(request);
    }
    return answered.promise;
  }

  #open(outgoing: OutgoingRequest, kept: boolean): ClientRequest {
    const { method, location, headers, signal } = outgoing;
    const secure = location.scheme === "https";
    const path = `${escapePath(location.path) || "/"}${location.query === "" ? "" : `?${location.query}`}`;
    const options = {
      method,
      host: location.hostname,
      port: location.port ?? (secure ? 443 : 80),
      path,
      headers: headers as Record<string, string | string[]>,
      setHost: headers["host"] === undefined,
      agent: this.#agentFor(secure, kept),
      signal,
      timeout: connectTimeoutMs,
    };
    const request = secure
      ? httpsRequest({ ...serverName(location), ...options, ...this.#tls() })
      : httpRequest(options);
    limitConnecting(request);
    return request;
  }

  #agentFor(secure: boolean, kept: boolean): HttpAgent | false {
    if (kept) return secure ? this.#https : this.#http;
    if (secure) return httpsAgent({}, this.#dial);
    return this.#dial ? httpAgent({}, this.#dial) : false;
  }
}

/** A kept connection that was already closed by the other side. */
class StaleConnectionError extends BackendError {}

/** An address is no server name, but its certificate is checked all the same. */
function serverName({ hostname }: Location): TlsClientOptions {
  return isIP(hostname) === 0 ? { servername: hostname } : {};
}

/** Gives up on a backend that doesn't accept the connection; once it has, it may take its time. */
function limitConnecting(request: ClientRequest): void {
  request.on("timeout", () => {
    const socket = request.socket as (Socket & { secureConnecting?: boolean }) | null;
    if (socket && !socket.connecting && !socket.secureConnecting) return;
    request.destroy(Object.assign(new Error("i/o timeout"), { code: "ETIMEDOUT" }));
  });
}
