import { environmentProxy } from "#/std/net/environment-proxy.ts";
import { ConnectionError } from "./connection-error.ts";
import { type ApiRequest, formatQuery } from "./transport.ts";

/** The address of an API server, which may include a path. */
export class ServerAddress {
  readonly isSecure: boolean;
  /** A host name, or an IP address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The name and port as in the Host header. */
  readonly host: string;
  readonly #base: string;
  readonly #prefix: string;

  constructor(server: string) {
    const { protocol, hostname, port, host, origin, pathname } = new URL(server);
    this.isSecure = protocol === "https:";
    this.hostname = hostname.replace(/^\[|\]$/g, "");
    this.port = Number(port) || (this.isSecure ? 443 : 80);
    this.host = host;
    this.#prefix = pathname.replace(/\/+$/, "");
    this.#base = origin;
  }

  /** The URL of the environment's proxy for this server; "" if there is none. */
  proxyUrl(env: NodeJS.ProcessEnv = process.env): string {
    return environmentProxy(this, env);
  }

  /** The request target: path and query. */
  target({ path, query }: ApiRequest): string {
    return `${this.#prefix}${path}${formatQuery(query)}`;
  }

  /** The error for the caller: the reason of the abort, or a ConnectionError. */
  failure(request: ApiRequest, cause: unknown): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    if (cause instanceof ConnectionError) return cause;
    return new ConnectionError(
      { method: request.method, url: `${this.#base}${this.target(request)}` },
      cause,
    );
  }
}
