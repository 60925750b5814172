import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { errorCodes } from "#/std/http2/frame.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import { bodyChunks, type Exchange, type Reply, type Sink } from "../model/exchange.ts";

/** Limit of joined chunks (bytes): fewer writes, bounded copies. */
const joinBytes = 64 * 1024;
const noBytes = new Uint8Array();

type Aborts = Pick<Exchange, "signal">;

/** Destination of a response's bytes. */
interface Outlet {
  /** False if the client is slow. */
  write(chunk: Uint8Array): boolean;
  end(chunk?: Uint8Array): void;
  drained(): Promise<void>;
  readonly isGone: boolean;
}

/** Sends a reply on an HTTP/1.1 response; resolves when it is written or the client has disconnected. */
export async function writeHttp1(
  response: ServerResponse,
  reply: Reply,
  exchange: Aborts,
): Promise<void> {
  const headers = reply.headers as Record<string, string | string[]>;
  if (reply.body.type === "upgraded") return;
  if (reply.body.type === "stream") {
    response.writeHead(reply.status, headers);
    response.flushHeaders();
    await reply.body.write(sinkOf(response, exchange.signal));
    response.end();
    return;
  }
  const chunks = bodyChunks(reply.body);
  headers["content-length"] = String(totalBytes(chunks));
  response.writeHead(reply.status, headers);
  if (chunks.length <= 1) response.end(chunks[0]);
  else await writeChunks(responseOutlet(response, exchange), chunks);
}

/** Statuses that never have a body. */
const isBodiless = (status: number): boolean => status === 204 || status === 304;

/** Sends a reply on an HTTP/2 stream. */
export async function writeHttp2(
  stream: Http2Stream,
  reply: Reply,
  exchange: Pick<Exchange, "method" | "signal">,
  date: string,
): Promise<void> {
  const { body, headers, status } = reply;
  if (stream.isClosed || body.type === "upgraded") return;
  if (headers["connection"] !== undefined) {
    // HTTP/2 has no such header; GOAWAY makes the client reconnect.
    if (headers["connection"] === "close") stream.closeConnection();
    delete headers["connection"];
  }
  if (body.type === "stream") {
    stream.respond(fieldsOf(reply, date));
    await body.write(streamSink(stream, exchange));
    stream.end();
    return;
  }
  const chunks = bodyChunks(body);
  headers["content-length"] = String(totalBytes(chunks));
  const fields = fieldsOf(reply, date);
  const hasNone = exchange.method === "HEAD" || isBodiless(status);
  if (hasNone || chunks.length <= 1) {
    stream.respond(fields, (hasNone ? undefined : chunks[0]) ?? noBytes);
    return;
  }
  stream.respond(fields);
  await writeChunks(streamOutlet(stream), chunks);
}

/** Names and values alternate. */
function fieldsOf({ status, headers }: Reply, date: string): string[] {
  const fields = [":status", String(status)];
  for (const name in headers) {
    const value = headers[name] ?? [];
    if (typeof value === "string") fields.push(name.toLowerCase(), value);
    else for (const one of value) fields.push(name.toLowerCase(), one);
  }
  if (headers["date"] === undefined) fields.push("date", date);
  return fields;
}

async function writeChunks(out: Outlet, chunks: readonly Uint8Array[]): Promise<void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < joinBytes) continue;
    if (!out.write(Buffer.concat(waiting))) await out.drained();
    if (out.isGone) return;
    waiting = [];
    size = 0;
  }
  out.end(Buffer.concat(waiting));
}

function totalBytes(chunks: readonly Uint8Array[]): number {
  let total = 0;
  for (const chunk of chunks) total += chunk.length;
  return total;
}

function streamOutlet(stream: Http2Stream): Outlet {
  return {
    write: (chunk) => stream.write(chunk),
    end: (chunk) => stream.end(chunk),
    drained: () => stream.drained(),
    get isGone() {
      return stream.isClosed;
    },
  };
}

function streamSink(stream: Http2Stream, { signal }: Aborts): Sink {
  return {
    write: (chunk) => stream.write(chunk),
    drained: () => stream.drained(),
    get pendingBytes() {
      return stream.pendingBytes;
    },
    close: () => stream.reset(errorCodes.internalError),
    signal,
  };
}

function responseOutlet(out: Writable, exchange: Aborts): Outlet {
  return {
    write: (chunk) => out.write(chunk),
    end: (chunk) => void out.end(chunk),
    drained: () => drained(out, exchange.signal),
    get isGone() {
      return out.destroyed;
    },
  };
}

function sinkOf(out: Writable, signal: AbortSignal): Sink {
  return {
    write: (chunk) => !out.destroyed && out.write(chunk),
    drained: () => drained(out, signal),
    get pendingBytes() {
      return out.writableLength;
    },
    close: (reason) => void out.destroy(reason),
    signal,
  };
}

function drained(out: Writable, signal: AbortSignal): Promise<void> {
  if (!out.writableNeedDrain || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      out.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    out.on("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
