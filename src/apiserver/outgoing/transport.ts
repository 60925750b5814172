import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { request as httpRequest } from "#/std/net/node-http.ts";
import type { TlsClientOptions } from "#/std/tls/connect-tls.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import { type Dial, httpAgent, httpsAgent } from "../egress/egress.ts";
import { addressOf, escapePath, type Location } from "./location.ts";

/** A request to send. */
export interface OutgoingRequest {
  readonly method: string;
  readonly location: Location;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Readable | undefined;
  readonly signal: AbortSignal;
}

/** A backend's response to an upgrade request: a connection if it accepts. */
interface UpgradeAnswer {
  readonly response: IncomingMessage;
  readonly upgraded: { readonly socket: Duplex; readonly head: Uint8Array } | undefined;
}

/** A backend could not be reached; the message is for clients. */
export class BackendError extends Error {
  override readonly name = "BackendError";
}

/** Limit of the time for connecting to a backend (ms), as of upstream's dialer. */
const connectTimeoutMs = 30_000;
/** Limit of idle connections kept for each backend (count). */
const idleConnections = 25;

/** Transport for backends of one kind: with one client certificate, and one set of trusted authorities. */
export class Transport implements Disposable {
  /** Limit of the rate of an upgraded connection (bytes/s); 0 for none. */
  readonly bytesPerSecond: number;
  readonly #tls: () => TlsClientOptions;
  readonly #dial: Dial | undefined;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  /**
   * Certificates are read for each request; connections are shared as long as these stay the same, and made by `dial`,
   * if given.
   */
  constructor(tls: () => TlsClientOptions, dial?: Dial, bytesPerSecond = 0) {
    this.bytesPerSecond = bytesPerSecond;
    this.#tls = tls;
    this.#dial = dial;
    this.#http = httpAgent({ keepAlive: true, maxFreeSockets: idleConnections }, dial);
    this.#https = httpsAgent({ keepAlive: true, maxFreeSockets: idleConnections }, dial);
  }

  /** Sends a request; resolves with the response's head. Rejects with a BackendError. */
  async send(outgoing: OutgoingRequest): Promise<IncomingMessage> {
    try {
      return await this.#send(outgoing);
    } catch (error) {
      // The backend had closed an idle connection: a new one may succeed.
      if (!(error instanceof StaleConnectionError)) throw error;
      return this.#send(outgoing);
    }
  }

  /** Requests an upgrade, on a connection of its own. Rejects with a BackendError. */
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

  /** Closes idle connections; those in use end with their requests. */
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

/** A kept connection that the other side had already closed. */
class StaleConnectionError extends BackendError {}

/**
 * The name that the certificate must have is that of the location. It is always set: Node would take that of the Host
 * header, which the client chooses. An address is sent as no server name, and verified nevertheless.
 */
const serverName = ({ hostname }: Location): TlsClientOptions => ({
  servername: isIP(hostname) === 0 ? hostname : "",
});

/** Times out if a backend doesn't accept the connection; after that there is no limit. */
function limitConnecting(request: ClientRequest): void {
  request.on("timeout", () => {
    const socket = request.socket as (Socket & { secureConnecting?: boolean }) | null;
    if (socket && !socket.connecting && !socket.secureConnecting) return;
    request.destroy(Object.assign(new Error("i/o timeout"), { code: "ETIMEDOUT" }));
  });
}
