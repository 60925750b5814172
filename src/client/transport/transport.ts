import type { Duplex } from "node:stream";

/** A request to an API server, independent of the transport. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query; already escaped. */
  readonly path: string;
  readonly query?: URLSearchParams | QueryValues | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * An object is sent as JSON; a Uint8Array or string unchanged (set content-type); a Readable as a
   * stream.
   */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Limit of the time to the whole response, or to the head of a watch, stream or upgrade. */
  readonly timeoutMs?: number | undefined;
}

/** Query parameters by name; those without a value are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, else the text. In process it is shared: never change it. */
  readonly body: unknown;
  /** The texts of Warning headers, in order. */
  readonly warnings: readonly string[];
}

export interface ApiStream {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it arrives; leaving the loop aborts the request. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A connection after an upgrade, with the agreed protocol. */
export interface UpgradedStream {
  readonly protocol: string;
  /** Value of the Upgrade header: websocket or SPDY/3.1. */
  readonly upgrade: string;
  readonly socket: Duplex;
  /** Bytes that arrived with the response's head. */
  readonly head: Uint8Array;
}

/** One event of a watch. A failure (ERROR on the wire) is thrown as a StatusError instead. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/**
 * Sends requests to an API server: over HTTPS, or in process. Network failures are thrown as
 * ConnectionError.
 */
export interface Transport extends AsyncDisposable {
  /** Host and port of the server; absent in process. */
  readonly host?: string;
  /** Whether objects of built-in kinds never have null fields, so that no check is needed. */
  readonly isWithoutNulls?: boolean;
  /** Resolves for any status. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Resolves for any status; the body is read later. */
  stream(request: ApiRequest): Promise<ApiStream>;
  /**
   * The events of one connection; ends when the server ends it. A status other than 200 is thrown
   * as StatusError.
   */
  watch(request: ApiRequest): AsyncIterable<WatchEvent<unknown>>;
  /**
   * Requests another protocol: a WebSocket with one of these subprotocols. A refusal is thrown as
   * StatusError.
   */
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream>;
}

/**
 * The query of a request as in its URL, with the question mark, sorted by name as Go does; "" if
 * there is none.
 */
export function formatQuery(query: ApiRequest["query"]): string {
  if (query === undefined) return "";
  const params = new URLSearchParams(query instanceof URLSearchParams ? query : undefined);
  if (!(query instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) params.set(name, String(value));
    }
  }
  params.sort();
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}
