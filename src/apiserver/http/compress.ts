import { type Deflated, deflatePiece, joinGzip, storePiece } from "#/machinery/codec/gzip.ts";
import { nextTurn } from "#/std/clock.ts";
import { type Filter, header, type Reply } from "./exchange.ts";
import { PieceCache } from "./piece-cache.ts";

/** Bodies up to this go as they are. Upstream: endpoints/handlers/responsewriters/writers.go. */
const thresholdBytes = 128 * 1024;
/** Chunks from this size on are the bytes of an object, which may be sent again. */
const objectBytes = 2048;
/** The longest chunk that is a separator between objects. */
const separatorBytes = 2;
/** Texts up to this size are not worth compressing. */
const storedBytes = 512;
/** So much is compressed before other requests get their turn. */
const turnBytes = 256 * 1024;
/** So many neighbours are compressed together at most, which is quicker and makes them much smaller. */
const groupObjectsMost = 32;

/**
 * Sends big bodies as gzip to clients that take it. A list is made of the bytes of its objects; those of each version of
 * an object are compressed once, however often they are sent.
 */
export function compress(): Filter {
  const cache = new PieceCache();
  return async function compressFilter(exchange, next) {
    const reply = await next(exchange);
    const { body, headers } = reply;
    if (body.type !== "bytes" || headers["content-encoding"] || !acceptsGzip(exchange)) {
      return reply;
    }
    const total = body.chunks.reduce((sum, { length }) => sum + length, 0);
    return total <= thresholdBytes ? reply : compressed(reply, body.chunks, cache);
  };
}

function acceptsGzip(exchange: Parameters<Filter>[0]): boolean {
  const accepted = header(exchange, "accept-encoding") ?? "";
  if (accepted === "gzip") return true;
  return accepted.split(",").some((clause) => clause.split(";")[0]?.trim() === "gzip");
}

async function compressed(
  reply: Reply,
  chunks: readonly Uint8Array[],
  cache: PieceCache,
): Promise<Reply> {
  const pieces: Deflated[] = [];
  let worked = 0;
  const onWork = (bytes: number): void => {
    worked += bytes;
  };
  for (const run of runsOf(chunks)) {
    if (run.areObjects) pieces.push(cache.deflate(run.chunks, onWork));
    else {
      const text = Buffer.concat(run.chunks);
      for (let start = 0; start < text.length; start += turnBytes) {
        const part = text.subarray(start, start + turnBytes);
        pieces.push(part.length < storedBytes ? storePiece(part) : deflatePiece(part));
        if (part.length >= storedBytes) worked += part.length;
      }
    }
    if (worked < turnBytes) continue;
    worked = 0;
    await nextTurn();
  }
  const { vary = [] } = reply.headers;
  const headers = {
    ...reply.headers,
    "content-encoding": "gzip",
    vary: [vary, "Accept-Encoding"].flat(),
  };
  return { ...reply, headers, body: { type: "bytes", chunks: joinGzip(pieces) } };
}

/** Chunks that are compressed together: objects with the separators between them, or whatever else there is. */
interface Run {
  readonly areObjects: boolean;
  readonly chunks: Uint8Array[];
}

function* runsOf(chunks: readonly Uint8Array[]): Generator<Run> {
  let run: Run | undefined;
  let count = 0;
  for (const chunk of chunks) {
    const object = isObject(chunk);
    const continues = object
      ? run?.areObjects && count < groupObjectsMost && !beginsGroup(chunk)
      : run && (!run.areObjects || chunk.length <= separatorBytes);
    if (run && continues) run.chunks.push(chunk);
    else {
      if (run) yield run;
      run = { areObjects: object, chunks: [chunk] };
      count = 0;
    }
    if (object) count++;
  }
  if (run) yield run;
}

/** Small ones and very big ones are not remembered; the latter are lists that came in one piece. */
function isObject({ length }: Uint8Array): boolean {
  return length >= objectBytes && length < 2 * thresholdBytes;
}

/** Where each kind of thing that tells objects apart (name, uid) is likely to be. */
const sampleStart = 40;
const sampleEnd = 160;
const groupObjectsUsual = 16;

/**
 * Groups begin at objects that are chosen by their content, so that one that comes or goes changes its own group only.
 */
function beginsGroup(chunk: Uint8Array): boolean {
  let sum = 0;
  for (let index = sampleStart; index < sampleEnd; index++) {
    sum = (sum * 31 + (chunk[index] ?? 0)) | 0;
  }
  return (sum >>> 8) % groupObjectsUsual === 0;
}
