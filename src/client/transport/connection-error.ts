import { dialFailure } from "#/std/tls/dial-failure.ts";

/** A server must accept a connection within this; upstream's dialer has the same. */
export const connectTimeoutMs = 30_000;
/** For whole answers, unless another time is given: servers give up after 60 s. */
export const requestTimeoutMs = 90_000;

/** What was to be reached. */
export interface Destination {
  readonly method: string;
  readonly url: string;
}

/**
 * A request that got no answer: the server can't be reached, isn't who it should be, or hung up. Its message is what
 * client-go says: `Get "https://127.0.0.1:6443/api": dial tcp 127.0.0.1:6443: connect: connection refused`.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The part behind the URL. */
  readonly reason: string;
  /** Node's code, such as ECONNREFUSED; "" if there is none. */
  readonly code: string;
  readonly url: string;
  /** Whether the server was reached, and did not answer in time. */
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

/** Whether a request never reached a server, or got no answer from it. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError;
}

/** Given as the cause where the time for an answer is over. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";

  constructor() {
    super("context deadline exceeded");
  }
}

/** The cause where a server doesn't accept a connection in time. */
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
