import type { Duplex } from "node:stream";

/** A request to an API server, before it is known how it travels. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query; already escaped. */
  readonly path: string;
  readonly query?: URLSearchParams | QueryValues | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An object goes as JSON; a Uint8Array or string as it is (give content-type); of a stream, a Readable as it comes. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The whole answer must be there by then; of a watch, stream or upgrade its head. */
  readonly timeoutMs?: number | undefined;
}

/** Query parameters by name; those without a value are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, else its text. In process it is shared: never change it. */
  readonly body: unknown;
  /** The texts of Warning headers, in order. */
  readonly warnings: readonly string[];
}

export interface ApiStream {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it comes; leaving the loop ends the request. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A connection that has left HTTP; what it speaks is the protocol that was agreed on. */
export interface UpgradedStream {
  readonly protocol: string;
  /** Value of the Upgrade header: websocket or SPDY/3.1. */
  readonly upgrade: string;
  readonly socket: Duplex;
  /** What came with the answer's head. */
  readonly head: Uint8Array;
}

/** One event of a watch. A failure (ERROR on the wire) is thrown as a StatusError instead. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/** How requests get to an API server: over HTTPS, or inside one process. Network failures are thrown as ConnectionError. */
export interface Transport extends AsyncDisposable {
  /** Host and port of the server; absent inside one process. */
  readonly host?: string;
  /** Objects of built-in kinds never have fields that are null: nobody need look for them. */
  readonly isWithoutNulls?: boolean;
  /** Resolves for any status. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Resolves for any status, with a body that is yet to come. */
  stream(request: ApiRequest): Promise<ApiStream>;
  /** One connection; ends when the server ends it. A status that isn't 200 is thrown as StatusError. */
  watch(request: ApiRequest): AsyncIterable<WatchEvent<unknown>>;
  /** Asks for another protocol: a WebSocket with one of these subprotocols. A refusal is thrown as StatusError. */
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream>;
}

/** The query of a request as it stands in its URL, with the question mark, by names as Go writes it; "" if there is none. */
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
