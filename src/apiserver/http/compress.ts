import {
  bytesOfCut,
  type Cut,
  type ListPieces,
  listLength,
  wholeCut,
} from "#/machinery/codec/shape/list-pieces.ts";
import { append } from "#/std/base/append.ts";
import { deflatePiece, GzipStream, storePiece } from "#/std/deflate/gzip.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { type Filter, header, type ReadyBody, type Reply } from "../model/exchange.ts";
import { PieceCache, type Section } from "./piece-cache.ts";

/**
 * Limit of a body that is sent without compression (bytes).
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go.
 */
const thresholdBytes = 128 * 1024;
/**
 * Limit of an item that is joined with the text around it (bytes): each piece costs some bytes, and space in the cache.
 */
const joinedItemBytes = 2048;
/** Limit of a block that is compressed at a time (bytes): other requests wait meanwhile. */
const pieceBytes = 256 * 1024;
/** Limit of a text that is not worth compressing (bytes). */
const storedBytes = 512;
/** Limit of a text that is cached together with the item after it (bytes). */
const rememberedTextBytes = 1024;
/** Items between two checks of the clock. */
const itemsPerLook = 8;

/**
 * Sends large bodies as gzip to clients that accept it. A list consists of the bytes of its objects; each version of an
 * object is compressed once, with the previous object as dictionary, however often it is sent.
 */
export function compress(): Filter {
  const cache = new PieceCache();
  return async function compressFilter(exchange, next) {
    const reply = await next(exchange);
    const { body, headers } = reply;
    if (body.type !== "bytes" && body.type !== "list") return reply;
    if (headers["content-encoding"] || !acceptsGzip(exchange)) return reply;
    return lengthOf(body) <= thresholdBytes ? reply : compressed(reply, body, cache);
  };
}

function acceptsGzip(exchange: Parameters<Filter>[0]): boolean {
  const accepted = header(exchange, "accept-encoding") ?? "";
  if (accepted === "gzip") return true;
  return accepted.split(",").some((clause) => clause.split(";")[0]?.trim() === "gzip");
}

function lengthOf(body: ReadyBody): number {
  if (body.type === "list") return listLength(body.list);
  return body.chunks.reduce((sum, { length }) => sum + length, 0);
}

async function compressed(reply: Reply, body: ReadyBody, cache: PieceCache): Promise<Reply> {
  const writer = new GzipWriter(cache);
  if (body.type === "list") await writer.addList(body.list);
  else await writer.addBytes(body.chunks);
  const { vary = [] } = reply.headers;
  const headers = {
    ...reply.headers,
    "content-encoding": "gzip",
    vary: [vary, "Accept-Encoding"].flat(),
  };
  return { ...reply, headers, body: { type: "bytes", chunks: await writer.end() } };
}

/** Compresses texts, and items that are cached with the text before them. */
class GzipWriter {
  readonly #cache: PieceCache;
  readonly #stream = new GzipStream();
  /** Text before the next item. */
  #texts: Uint8Array[] = [];
  /** The previous item, if there are only texts after it. */
  #previous: Section | undefined;

  constructor(cache: PieceCache) {
    this.#cache = cache;
  }

  async addList({ head, items, separator, tail }: ListPieces): Promise<void> {
    const budget = new TurnBudget(systemClock);
    this.#texts.push(head);
    let count = 0;
    for (const item of items) {
      if (count > 0) this.#texts.push(separator);
      if (item.lead.length > 0) this.#texts.push(item.lead);
      // Most items need no waiting.
      if (!isPiece(item)) this.#texts.push(bytesOfCut(item));
      else if (this.#startsAnew) await this.#addAnew(item);
      else this.#add(item);
      if (++count % itemsPerLook === 0 && budget.isSpent) await budget.yield();
    }
    this.#texts.push(tail);
  }

  /** A body of one array may be sent again. */
  async addBytes(chunks: readonly Uint8Array[]): Promise<void> {
    const [first, ...others] = chunks;
    const item = first && others.length === 0 ? wholeCut(first) : undefined;
    if (item && isPiece(item)) await this.#addAnew(item);
    else append(this.#texts, chunks);
  }

  async end(): Promise<Uint8Array[]> {
    await this.#endText();
    return this.#stream.end();
  }

  get #startsAnew(): boolean {
    if (!this.#previous) return true;
    let length = 0;
    for (const text of this.#texts) length += text.length;
    return length > rememberedTextBytes;
  }

  async #addAnew(item: Cut): Promise<void> {
    await this.#endText();
    this.#add(item);
  }

  #add(item: Cut): void {
    // Few are the same arrays each time; many are bytes of small items, which should not be kept alive.
    const texts = this.#texts.length > 2 ? [Buffer.concat(this.#texts)] : this.#texts;
    const section = this.#cache.section(texts, item);
    this.#stream.add(this.#cache.deflate(section, this.#previous));
    this.#previous = section;
    this.#texts = [];
  }

  /** Compresses the text alone. */
  async #endText(): Promise<void> {
    const text = join(this.#texts);
    for (let start = 0; start < text.length; start += pieceBytes) {
      const part = text.subarray(start, start + pieceBytes);
      this.#stream.add(part.length < storedBytes ? storePiece(part) : deflatePiece([part]));
      if (part.length === pieceBytes) await nextTurn();
    }
    this.#texts = [];
    this.#previous = undefined;
  }
}

const isPiece = ({ start, end }: Cut): boolean =>
  end - start >= joinedItemBytes && end - start < pieceBytes;

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
