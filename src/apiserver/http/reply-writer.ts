import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { Exchange, Reply, Sink } from "./exchange.ts";

/** Chunks are joined up to this size before they are written: fewer writes, bounded copies. */
const joinBytes = 64 * 1024;

type Aborts = Pick<Exchange, "signal">;

/** Sends a reply on an HTTP/1.1 response; resolves when it has been handed over or the client has gone. */
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
  const { chunks } = reply.body;
  headers["content-length"] = String(totalBytes(chunks));
  response.writeHead(reply.status, headers);
  await writeChunks(response, chunks, exchange);
}

/** Sends a reply on an HTTP/2 stream. */
export async function writeHttp2(
  stream: ServerHttp2Stream,
  reply: Reply,
  exchange: Aborts,
): Promise<void> {
  if (stream.destroyed || reply.body.type === "upgraded") return;
  if (reply.headers["connection"] === "close") {
    // HTTP/2 has no such header; the client is told to connect anew.
    delete reply.headers["connection"];
    stream.session?.close();
  }
  if (reply.body.type === "stream") {
    stream.respond(rawHeaders(reply));
    await reply.body.write(sinkOf(stream, exchange.signal));
    if (!stream.destroyed) stream.end();
    return;
  }
  const { chunks } = reply.body;
  reply.headers["content-length"] = String(totalBytes(chunks));
  stream.respond(rawHeaders(reply));
  await writeChunks(stream, chunks, exchange);
}

/** Names and values in turn, which Node takes without copying and checking objects. */
function rawHeaders({ status, headers }: Reply): string[] {
  const raw = [":status", String(status)];
  for (const name in headers) {
    const value = headers[name] ?? [];
    if (typeof value === "string") raw.push(name, value);
    else for (const one of value) raw.push(name, one);
  }
  return raw;
}

async function writeChunks(
  out: Writable,
  chunks: readonly Uint8Array[],
  exchange: Aborts,
): Promise<void> {
  const only = chunks[0];
  if (chunks.length <= 1) {
    out.end(only);
    return;
  }
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < joinBytes) continue;
    if (!out.write(Buffer.concat(waiting))) await drained(out, exchange.signal);
    if (out.destroyed) return;
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
