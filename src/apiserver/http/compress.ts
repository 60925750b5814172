import { type Deflated, deflatePiece, joinGzip, storePiece } from "#/machinery/codec/gzip.ts";
import { nextTurn } from "#/std/clock.ts";
import { type Filter, header, type Reply } from "./exchange.ts";

/** Bodies up to this go as they are. Upstream: endpoints/handlers/responsewriters/writers.go. */
const thresholdBytes = 128 * 1024;
/** Chunks from this size on are compressed by themselves and remembered. */
const chunkBytes = 2048;
/** What lies between such chunks is stored as it is up to this size, and compressed beyond. */
const storedBytes = 512;
/** So much is compressed before other requests get their turn. */
const turnBytes = 256 * 1024;

/**
 * Sends big bodies as gzip to clients that take it. A list is made of the bytes of its objects; those of each version of
 * an object are compressed once, however often they are sent.
 */
export function compress(): Filter {
  return async function compressFilter(exchange, next) {
    const reply = await next(exchange);
    const { body, headers } = reply;
    if (body.type !== "bytes" || headers["content-encoding"] || !acceptsGzip(exchange)) {
      return reply;
    }
    const total = body.chunks.reduce((sum, { length }) => sum + length, 0);
    if (total <= thresholdBytes) return reply;
    return compressed(reply, body.chunks);
  };
}

function acceptsGzip(exchange: Parameters<Filter>[0]): boolean {
  const accepted = header(exchange, "accept-encoding") ?? "";
  if (accepted === "gzip") return true;
  return accepted.split(",").some((clause) => clause.split(";")[0]?.trim() === "gzip");
}

async function compressed(reply: Reply, chunks: readonly Uint8Array[]): Promise<Reply> {
  const pieces: Deflated[] = [];
  let between: Uint8Array[] = [];
  let betweenBytes = 0;
  let worked = 0;
  const flush = (): void => {
    const [first] = between;
    if (!first) return;
    if (betweenBytes >= storedBytes) {
      pieces.push(deflatePiece(Buffer.concat(between)));
      worked += betweenBytes;
    } else if (betweenBytes <= separatorBytes && between.length === 1) {
      pieces.push(separatorPiece(first));
    } else pieces.push(storePiece(Buffer.concat(between)));
    between = [];
    betweenBytes = 0;
  };
  for (const chunk of chunks) {
    if (chunk.length < chunkBytes) {
      between.push(chunk);
      betweenBytes += chunk.length;
      if (betweenBytes >= turnBytes) flush();
    } else {
      flush();
      const known = findPiece(chunk);
      if (!known) worked += chunk.length;
      pieces.push(known ?? newPiece(chunk));
    }
    if (worked < turnBytes) continue;
    worked = 0;
    await nextTurn();
  }
  flush();
  const { vary = [] } = reply.headers;
  const headers = {
    ...reply.headers,
    "content-encoding": "gzip",
    vary: [vary, "Accept-Encoding"].flat(),
  };
  return { ...reply, headers, body: { type: "bytes", chunks: joinGzip(pieces) } };
}

/** What was compressed of a buffer. */
interface KnownPiece {
  readonly offset: number;
  readonly piece: Deflated;
}

const knownPieces = new WeakMap<ArrayBufferLike, readonly KnownPiece[]>();

function findPiece({ buffer, byteOffset, length }: Uint8Array): Deflated | undefined {
  for (const { offset, piece } of knownPieces.get(buffer) ?? []) {
    if (offset === byteOffset && piece.length === length) return piece;
  }
  return undefined;
}

/** An object's JSON is sent as a whole or as its metadata; of other buffers not much is remembered. */
const piecesOfBuffer = 2;

/** Remembered as long as the buffer is there, unless it is one that Node shares out in small parts. */
function newPiece(chunk: Uint8Array): Deflated {
  const piece = deflatePiece(chunk);
  const { buffer, byteOffset: offset } = chunk;
  if (buffer.byteLength !== Buffer.poolSize) {
    const others = (knownPieces.get(buffer) ?? []).slice(1 - piecesOfBuffer);
    knownPieces.set(buffer, [...others, { offset, piece }]);
  }
  return piece;
}

/** Longest chunk that is taken for a separator of items. */
const separatorBytes = 4;

/** Separators, which are the same buffer again and again. */
const knownSeparators = new WeakMap<Uint8Array, Deflated>();

function separatorPiece(chunk: Uint8Array): Deflated {
  let piece = knownSeparators.get(chunk);
  if (!piece) {
    piece = storePiece(chunk);
    knownSeparators.set(chunk, piece);
  }
  return piece;
}
