import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { badRequest, requestEntityTooLarge } from "#/machinery/meta/status-error.ts";
import type { BodyReader } from "#/std/http2/http2-stream.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { enterWork, type Work } from "#/std/time/turn-watch.ts";
import { describeRequest } from "../model/describe-request.ts";
import type { Exchange, Peer, UpgradedSocket, UserInfo } from "../model/exchange.ts";
import { parseRequestInfo, type RequestInfo } from "../model/request-info.ts";
import { decodePath } from "../model/request-path.ts";
import type { Trail } from "../model/trail.ts";

interface NodeExchangeOptions {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly source: BodySource;
  readonly peer: Peer;
  readonly receivedMs: number;
  readonly upgrade?: (() => UpgradedSocket) | undefined;
  readonly http2?: boolean;
}

/** Source of a request's body. */
interface BodySource {
  /** For proxies that forward it. */
  readonly readable: Readable;
  /** The body from its start, to one reader. */
  receive(reader: BodyReader): void;
  /** Acknowledges bytes as read, for flow control. */
  consumed(bytes: number): void;
  /** Stops reading, if the protocol has to signal that. */
  stop?(): void;
}

/** A request from the network. */
export class NodeExchange implements Exchange, Work {
  readonly method: string;
  readonly path: string;
  readonly rawPath: string;
  readonly headers: Exchange["headers"];
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  readonly receivedMs: number;
  readonly upgrade: (() => UpgradedSocket) | undefined;
  readonly http2: boolean;
  readonly warnings = new Set<string>();
  readonly annotations = new Map<string, string>();
  info: RequestInfo;
  user: UserInfo | undefined;
  auditId = "";
  // Set later, and here already: all requests have the same shape.
  trail: Trail | undefined = undefined;
  readonly rawQuery: string;
  #query: URLSearchParams | undefined;
  readonly #source: BodySource;
  /** Made on the first use of the signal: most requests end before that. */
  #abort: AbortController | undefined;
  #aborted: unknown;

  constructor(options: NodeExchangeOptions) {
    const { method, url, headers, rawHeaders, source, peer, receivedMs, upgrade } = options;
    const mark = url.indexOf("?");
    this.method = method;
    this.rawPath = mark < 0 ? url : url.slice(0, mark);
    this.path = decodePath(this.rawPath);
    this.rawQuery = mark < 0 ? "" : url.slice(mark + 1);
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.peer = peer;
    this.receivedMs = receivedMs;
    this.upgrade = upgrade;
    this.http2 = options.http2 ?? false;
    this.#source = source;
    this.info = parseRequestInfo(this);
  }

  get workKind(): string {
    return "request";
  }

  describeWork(): Readonly<Record<string, unknown>> {
    return describeRequest(this);
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.rawQuery);
    return this.#query;
  }

  get body(): Readable {
    return this.#source.readable;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort(this.#aborted);
    }
    return this.#abort.signal;
  }

  /** The client has disconnected, or the server aborts the request. */
  abort(reason: Error): void {
    this.#aborted = reason;
    this.#abort?.abort(reason);
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    const declared = Number(this.headers["content-length"] ?? 0);
    if (declared > limitBytes) return Promise.reject(tooLarge(limitBytes));
    return readAll(this.#source, limitBytes, this);
  }
}

const tooLarge = (limitBytes: number): Error => requestEntityTooLarge(`limit is ${limitBytes}`);

/** The whole body of a source. */
function readAll(source: BodySource, limitBytes: number, work: Work): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    source.receive({
      chunk(chunk) {
        size += chunk.length;
        if (size > limitBytes) {
          source.stop?.();
          reject(tooLarge(limitBytes));
          return;
        }
        chunks.push(chunk);
        source.consumed(chunk.length);
      },
      end() {
        enterWork(work, "body");
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      },
      fail: () => reject(badRequest("unable to read the request body: the client has gone")),
    });
  });
}

/** The body of an HTTP/1.1 request, by its events, which cost less than an iterator. */
export function incomingBody(readable: Readable): BodySource {
  return {
    readable,
    receive(reader) {
      let hasEnded = false;
      const fail = (): void => {
        if (!hasEnded) reader.fail();
      };
      readable.on("data", (chunk: Buffer) => reader.chunk(chunk));
      readable.on("end", () => {
        hasEnded = true;
        reader.end();
      });
      readable.on("error", fail);
      readable.on("close", fail);
      if (readable.destroyed) fail();
      else if (readable.readableEnded) reader.end();
    },
    consumed: () => undefined,
    stop: () => void readable.pause(),
  };
}

/** Properties of the peer of a connection; computed once per connection. */
export const peerOf = memoByIdentity((socket: Socket): Peer => {
  const secure = socket instanceof TLSSocket;
  return {
    // An IPv4 client of a dual-stack socket has a mapped address.
    address: (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, ""),
    certificates: secure ? certificatesOf(socket) : [],
    secure,
  };
});

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
