import { isLoopback, parseIp } from "#/std/net/ip.ts";
import { ConnectionError } from "./connection-error.ts";
import { type ApiRequest, formatQuery } from "./transport.ts";

/** Where an API server is, which may be below a path. */
export class ServerAddress {
  readonly isSecure: boolean;
  /** A name, or an address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The name and port as the Host header has them. */
  readonly host: string;
  /** On this machine: no proxy of the environment is asked for it, as in Go. */
  readonly isLocal: boolean;
  readonly #base: string;
  readonly #prefix: string;

  constructor(server: string) {
    const { protocol, hostname, port, host, origin, pathname } = new URL(server);
    this.isSecure = protocol === "https:";
    this.hostname = hostname.replace(/^\[|\]$/g, "");
    this.port = Number(port) || (this.isSecure ? 443 : 80);
    this.host = host;
    const ip = parseIp(this.hostname);
    this.isLocal = this.hostname === "localhost" || (ip !== undefined && isLoopback(ip));
    this.#prefix = pathname.replace(/\/+$/, "");
    this.#base = origin;
  }

  /** What is asked for there: the path and the query. */
  target({ path, query }: ApiRequest): string {
    return `${this.#prefix}${path}${formatQuery(query)}`;
  }

  /** What whoever has asked is told: why it was given up, or why there is no answer. */
  failure(request: ApiRequest, cause: unknown): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    if (cause instanceof ConnectionError) return cause;
    return new ConnectionError(
      { method: request.method, url: `${this.#base}${this.target(request)}` },
      cause,
    );
  }
}
