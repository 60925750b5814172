import { dialFailure } from "#/std/tls/dial-failure.ts";

/** Limit of the time to connect (ms); upstream's dialer has the same. */
export const connectTimeoutMs = 30_000;
/** Default limit of a whole response (ms): servers give up after 60 s. */
export const requestTimeoutMs = 90_000;

/** The destination of a request. */
interface Destination {
  readonly method: string;
  readonly url: string;
}

/**
 * A request without a response: the server was unreachable, had the wrong certificate, or closed
 * the connection. Its message is client-go's: `Get "https://127.0.0.1:6443/api": dial tcp
 * 127.0.0.1:6443: connect: connection refused`.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The message after the URL. */
  readonly reason: string;
  /** Node's code, such as ECONNREFUSED; "" if there is none. */
  readonly code: string;
  readonly url: string;
  /** Whether the server was reached but did not respond in time. */
  readonly isTimeout: boolean;

  constructor({ method, url }: Destination, cause: unknown) {
    const reason = dialFailure(cause, addressOf(url));
    super(`${titled(method)} "${url}": ${reason}`);
    this.reason = reason;
    this.code = codeOf(cause);
    this.url = url;
    this.isTimeout = cause instanceof TimeoutError;
  }
}

/** Whether a request did not reach a server or got no response. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError;
}

/** The cause of a ConnectionError after the request timeout. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";

  constructor() {
    super("context deadline exceeded");
  }
}

/** The cause of a ConnectionError after the connect timeout. */
export function dialTimeout(): Error {
  return Object.assign(new Error("i/o timeout"), { code: "ETIMEDOUT" });
}

const titled = (method: string): string => method.charAt(0) + method.slice(1).toLowerCase();

function addressOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { code } = (first ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
