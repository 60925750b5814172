import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { badRequest, requestEntityTooLarge } from "#/machinery/status-error.ts";
import type { Exchange, Peer, UpgradedSocket, UserInfo } from "./exchange.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";

interface NodeExchangeOptions {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
  readonly peer: Peer;
  readonly receivedMs: number;
  readonly upgrade?: (() => UpgradedSocket) | undefined;
  readonly http2?: boolean;
}

/** A request that came over the network. */
export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Exchange["headers"];
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  readonly receivedMs: number;
  readonly upgrade: (() => UpgradedSocket) | undefined;
  readonly http2: boolean;
  readonly warnings: string[] = [];
  readonly annotations = new Map<string, string>();
  info: RequestInfo;
  user: UserInfo | undefined;
  auditId = "";
  readonly rawQuery: string;
  #query: URLSearchParams | undefined;
  readonly body: Readable;
  /** Made when somebody first asks for the signal: most requests end before anyone does. */
  #abort: AbortController | undefined;
  #aborted: unknown;

  constructor(options: NodeExchangeOptions) {
    const { method, url, headers, rawHeaders, body, peer, receivedMs, upgrade } = options;
    const mark = url.indexOf("?");
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.rawQuery = mark < 0 ? "" : url.slice(mark + 1);
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.peer = peer;
    this.receivedMs = receivedMs;
    this.upgrade = upgrade;
    this.http2 = options.http2 ?? false;
    this.body = body;
    this.info = parseRequestInfo(this);
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.rawQuery);
    return this.#query;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort(this.#aborted);
    }
    return this.#abort.signal;
  }

  /** The client has gone, or the server gives up on the request. */
  abort(reason: Error): void {
    this.#aborted = reason;
    this.#abort?.abort(reason);
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    const declared = Number(this.headers["content-length"] ?? 0);
    if (declared > limitBytes) return Promise.reject(tooLarge(limitBytes));
    return readAll(this.body, limitBytes, () => this.#aborted !== undefined);
  }
}

const tooLarge = (limitBytes: number): Error => requestEntityTooLarge(`limit is ${limitBytes}`);

/** All that a stream gives. By its events, which cost less than an iterator. */
function readAll(
  stream: Readable,
  limitBytes: number,
  hasGone: () => boolean,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    const fail = (error?: Error): void => {
      if (ended) return;
      const gone = "unable to read the request body: the client has gone";
      reject(error && !hasGone() ? error : badRequest(gone));
    };
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        stream.pause();
        reject(tooLarge(limitBytes));
      } else chunks.push(chunk);
    });
    stream.on("end", () => {
      ended = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    stream.on("error", fail);
    stream.on("close", () => fail());
    if (stream.destroyed) fail();
    else if (stream.readableEnded) resolve(noBytes);
  });
}

const noBytes = new Uint8Array();

const peers = new WeakMap<Socket, Peer>();

/** What is known of the other end of a connection; worked out once per connection. */
export function peerOf(socket: Socket): Peer {
  let peer = peers.get(socket);
  if (!peer) {
    const secure = socket instanceof TLSSocket;
    peer = {
      address: socket.remoteAddress ?? "",
      certificates: secure ? certificatesOf(socket) : [],
      secure,
    };
    peers.set(socket, peer);
  }
  return peer;
}

/** The chain the client sent, leaf first. */
function certificatesOf(socket: TLSSocket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw && !chain.some((known) => Buffer.compare(known, certificate.raw) === 0)) {
    chain.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

/** The URL of an HTTP/1.1 request in origin form, even when the client sent an absolute one. */
export function originForm(request: IncomingMessage): string {
  const url = request.url ?? "/";
  if (url.startsWith("/")) return url;
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return "/";
  }
}
