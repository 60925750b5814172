import type { Duplex, Readable } from "node:stream";
import { type ListPieces, listChunks } from "#/machinery/codec/shape/list-pieces.ts";
import type { Pace } from "./pace.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Trail } from "./trail.ts";

/** The user of a request. Invariant: set by the authentication filter before any later filter runs. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Origin of a request: properties that the transport knows and no header can forge. */
export interface Peer {
  readonly address: string;
  /** DER of the TLS client certificates, the client's own first; possession proved, trust not checked. */
  readonly certificates: readonly Uint8Array[];
  readonly secure: boolean;
  /** The user of a caller in the same process; the transport vouches for it. */
  readonly user?: UserInfo;
}

/**
 * One request on its way through the filters. Filters set what they find (info, user, audit annotations); the verb at
 * the end reads it.
 */
export interface Exchange {
  readonly method: string;
  /** Path without the query, decoded: see decodePath(). */
  readonly path: string;
  /** The path as the client sent it, for logs. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  /** Raw query string, for proxies that forward it. Absent for in-process calls. */
  readonly rawQuery?: string;
  /** Header names in lower case; several values joined as Node does. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values alternate, as the client sent them; absent if `headers` has each value separately. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly peer: Peer;
  /** Aborts when the client disconnects or the server aborts the request. */
  readonly signal: AbortSignal;
  /** Received over HTTP/2, where the connection outlives many requests. */
  readonly http2?: boolean;
  /** When the first byte arrived, in clock milliseconds. */
  readonly receivedMs: number;
  /** The body as a stream, for proxies that forward it; absent in process. */
  readonly body?: Readable;
  /** The whole body, or a 413 StatusError over the limit. */
  readBody(limitBytes: number): Promise<Uint8Array>;
  /** The caller is in this process and accepts shared objects instead of bytes. */
  readonly takesObjects?: boolean;
  /** Takes over the connection for a protocol upgrade; undefined if the client requested none. */
  readonly upgrade?: (() => UpgradedSocket) | undefined;

  info: RequestInfo;
  user: UserInfo | undefined;
  /** The authenticated user, if it impersonates another. */
  impersonator?: UserInfo;
  auditId: string;
  /** Set when a body was read that is not small: its steps take turns with other requests. */
  pace?: Pace;
  /** Set for a write whose way is recorded. */
  trail?: Trail | undefined;
  /** Its time was over, and it was answered 504: work that is left is of no use. */
  isTimedOut?: boolean;
  /** Headers that filters add to any reply, including errors. */
  replyHeaders?: Readonly<Record<string, string>>;
  /** Texts of Warning headers, in order. */
  readonly warnings: Set<string>;
  /** Audit annotations added by filters and verbs. */
  readonly annotations: Map<string, string>;
}

/** A connection after its upgrade from HTTP. */
export interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** The first value of a header. */
export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = exchange.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Every value of a header, unchanged. */
export function headerValues(
  { headers, rawHeaders }: Pick<Exchange, "headers" | "rawHeaders">,
  name: string,
): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  if (!rawHeaders) return typeof value === "string" ? [value] : value;
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** The response to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly body: ReplyBody;
}

/**
 * Complete bytes (and their object, if the caller accepts objects), a list of objects with complete bytes, a stream
 * that is written as it is produced, or a connection that the verb has taken over.
 */
type ReplyBody =
  | ReadyBody
  | { readonly type: "stream"; readonly write: (sink: Sink) => Promise<void> }
  | { readonly type: "upgraded" };

/** A complete body. */
export type ReadyBody =
  | {
      readonly type: "bytes";
      readonly chunks: readonly Uint8Array[];
      readonly value?: () => unknown;
    }
  | { readonly type: "list"; readonly list: ListPieces };

/** The bytes of a body, in order. */
export const bodyChunks = (body: ReadyBody): readonly Uint8Array[] =>
  body.type === "list" ? listChunks(body.list) : body.chunks;

/** Destination of a stream. */
export interface Sink {
  /** False if the client is slow: wait for drained() before writing much more. */
  write(chunk: Uint8Array): boolean;
  /** Resolves when the client has read what was written, or has disconnected. */
  drained(): Promise<void>;
  /** Bytes written but not yet read. */
  readonly pendingBytes: number;
  /** Disconnects the client. */
  close(reason: Error): void;
  /** Accepts the events of a watch as shared objects instead of bytes. */
  event?(type: string, object: object): void;
  readonly signal: AbortSignal;
}

/** The verb at the end of the chain, and each filter's view of the rest of it. */
export type Handler = (exchange: Exchange) => Promise<Reply>;

/** One stage of the request path. */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Reply>;

/** Composes filters, outermost first, in front of a handler. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>(
    (next, filter) => (exchange) => filter(exchange, next),
    handler,
  );
}

const noHeaders: Readonly<Record<string, string>> = {};

/** A reply with a complete body. */
export function bytesReply(
  status: number,
  contentType: string,
  body: Uint8Array | readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = noHeaders,
): Reply {
  const chunks = body instanceof Uint8Array ? [body] : body;
  return {
    status,
    headers: { "content-type": contentType, ...headers },
    body: { type: "bytes", chunks },
  };
}

const encoder = new TextEncoder();

/** A plain-text reply, for health checks and unknown paths. */
export function textReply(status: number, text: string): Reply {
  return bytesReply(status, "text/plain; charset=utf-8", encoder.encode(text), {
    "x-content-type-options": "nosniff",
  });
}
