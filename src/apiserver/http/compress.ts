import { deflatePiece, GzipStream, storePiece } from "#/std/deflate/gzip.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { type Filter, header, type Reply } from "../model/exchange.ts";
import { PieceCache, type Section } from "./piece-cache.ts";

/** Bodies up to this go as they are. Upstream: endpoints/handlers/responsewriters/writers.go. */
const thresholdBytes = 128 * 1024;
/** Chunks from this size on are the bytes of an object, which may be sent again. */
const objectBytes = 2048;
/** Texts up to this size are not worth compressing. */
const storedBytes = 512;
/** Texts up to this size are remembered with the object that comes after them. */
const rememberedTextBytes = 1024;
/** So much text is compressed at a time. */
const textBytes = 256 * 1024;
/** The clock is looked at after so many objects. */
const objectsPerLook = 8;

/**
 * Sends big bodies as gzip to clients that take it. A list is made of the bytes of its objects; those of each version of
 * an object are compressed once, on top of the object before it, however often they are sent.
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
  const stream = new GzipStream();
  const budget = new TurnBudget(systemClock);
  let previous: Section | undefined;
  let count = 0;
  for (const { text, object } of partsOf(chunks)) {
    const isOwn = !object || !previous || text.length > rememberedTextBytes;
    if (isOwn) await addText(stream, text);
    if (object) {
      const section = cache.section(isOwn ? noBytes : text, object);
      stream.add(cache.deflate(section, isOwn ? undefined : previous));
      previous = section;
    }
    if (++count % objectsPerLook === 0 && budget.isSpent) await budget.yield();
  }
  const { vary = [] } = reply.headers;
  const headers = {
    ...reply.headers,
    "content-encoding": "gzip",
    vary: [vary, "Accept-Encoding"].flat(),
  };
  return { ...reply, headers, body: { type: "bytes", chunks: stream.end() } };
}

const noBytes = new Uint8Array();

async function addText(stream: GzipStream, text: Uint8Array): Promise<void> {
  for (let start = 0; start < text.length; start += textBytes) {
    const part = text.subarray(start, start + textBytes);
    stream.add(part.length < storedBytes ? storePiece(part) : deflatePiece([part]));
    if (part.length === textBytes) await nextTurn();
  }
}

/** Text, and the object that follows it, if there is one. */
interface Part {
  readonly text: Uint8Array;
  readonly object: Uint8Array | undefined;
}

function* partsOf(chunks: readonly Uint8Array[]): Generator<Part> {
  let texts: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (isObject(chunk)) {
      yield { text: join(texts), object: chunk };
      texts = [];
    } else texts.push(chunk);
  }
  if (texts.length > 0) yield { text: join(texts), object: undefined };
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** Small ones and very big ones are not remembered; the latter are lists that came in one piece. */
function isObject({ length }: Uint8Array): boolean {
  return length >= objectBytes && length < 2 * thresholdBytes;
}
