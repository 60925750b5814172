import type { Duplex, Readable } from "node:stream";
import { type ListPieces, listChunks } from "#/machinery/codec/shape/list-pieces.ts";
import type { RequestInfo } from "./request-info.ts";

/** Who makes a request. Invariant: set by the authentication filter before any later filter runs. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Where a request came from: what the transport knows and no header can forge. */
export interface Peer {
  readonly address: string;
  /** DER of the certificates the TLS layer was shown, the client's own first; possession proved, trust not checked. */
  readonly certificates: readonly Uint8Array[];
  readonly secure: boolean;
  /** Who a caller in the same process is; the transport vouches for it. */
  readonly user?: UserInfo;
}

/**
 * One request on its way through the filters. Filters fill in what they find out (info, user, audit annotations);
 * the verb at the end reads it.
 */
export interface Exchange {
  readonly method: string;
  /** Path without the query, as the client sent it. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as the client sent it, for who passes it on; absent where there was never a text. */
  readonly rawQuery?: string;
  /** Header names in lower case; several values joined as Node does. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as the client sent them; absent where headers has each value by itself. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly peer: Peer;
  /** Aborts when the client has gone or the server gives up on the request. */
  readonly signal: AbortSignal;
  /** It came over HTTP/2, where the connection outlives many requests. */
  readonly http2?: boolean;
  /** When the first byte arrived, in clock milliseconds. */
  readonly receivedMs: number;
  /** The body as it comes, for who passes it on; absent in process. */
  readonly body?: Readable;
  /** The whole body, or a 413 StatusError past the limit. */
  readBody(limitBytes: number): Promise<Uint8Array>;
  /** The caller is in this process and takes objects as they are, shared, instead of their bytes. */
  readonly takesObjects?: boolean;
  /** Takes the connection over for a protocol upgrade; undefined when the client asked for none. */
  readonly upgrade?: (() => UpgradedSocket) | undefined;

  info: RequestInfo;
  user: UserInfo | undefined;
  /** Who acts as the user, if that is another. */
  impersonator?: UserInfo;
  auditId: string;
  /** What filters add to whatever reply there will be, an error included. */
  replyHeaders?: Readonly<Record<string, string>>;
  /** Texts for Warning headers, in order, without duplicates. */
  readonly warnings: string[];
  /** Audit annotations added on the way. */
  readonly annotations: Map<string, string>;
}

/** A connection that has left HTTP. */
export interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** The first value of a header. */
export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = exchange.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Every value of a header, each as it was sent. */
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

/** What goes back to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly body: ReplyBody;
}

/**
 * Bytes that are ready (and what they stand for, where the caller takes objects), a list of objects whose bytes are ready, a
 * stream that is written as it comes, or a connection the verb has taken over.
 */
type ReplyBody =
  | ReadyBody
  | { readonly type: "stream"; readonly write: (sink: Sink) => Promise<void> }
  | { readonly type: "upgraded" };

/** A body that is there as a whole. */
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

/** Where a stream is written to. */
export interface Sink {
  /** False when the client is slow: wait for drained() before writing much more. */
  write(chunk: Uint8Array): boolean;
  /** Resolves when the client has taken what was written, or has gone. */
  drained(): Promise<void>;
  /** Bytes written but not yet taken. */
  readonly pendingBytes: number;
  /** Gives up on the client. */
  close(reason: Error): void;
  /** Takes the events of a watch as they are, shared, instead of their bytes. */
  event?(type: string, object: object): void;
  readonly signal: AbortSignal;
}

/** The verb at the end of the chain, and what each filter sees as the rest of it. */
export type Handler = (exchange: Exchange) => Promise<Reply>;

/** One stage of the request path. */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Reply>;

/** Joins filters, outermost first, in front of a handler. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>(
    (next, filter) => (exchange) => filter(exchange, next),
    handler,
  );
}

const noHeaders: Readonly<Record<string, string>> = {};

/** A reply with a body that is ready. */
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

/** A plain-text reply, as health checks and unmatched paths give. */
export function textReply(status: number, text: string): Reply {
  return bytesReply(status, "text/plain; charset=utf-8", encoder.encode(text), {
    "x-content-type-options": "nosniff",
  });
}
