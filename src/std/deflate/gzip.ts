import { constants, crc32, deflateRawSync } from "node:zlib";
import { keptBytes } from "../memory/long-lived-bytes.ts";
import { deflateAfter } from "./deflate-after.ts";

/** Bytes compressed independently, so that they can be anywhere in a gzip stream. */
export interface Deflated {
  /** Whole deflate blocks, none of them the last one; they end at a byte boundary. */
  readonly blocks: Uint8Array;
  /** CRC-32 of the bytes. */
  readonly crc: number;
  /** Number of uncompressed bytes. */
  readonly length: number;
  /**
   * x to the power of 8 × length, modulo the polynomial of the CRC: the factor of a CRC before
   * these bytes.
   */
  readonly shift: number;
}

/** Compresses bytes; the piece is only valid directly after the bytes given as `after`. */
export function deflatePiece(
  chunks: readonly Uint8Array[],
  after: readonly Uint8Array[] = [],
): Deflated {
  const deflated =
    (after.length > 0 && deflateAfter(after, chunks)) || deflateByZlib(chunks, after);
  return describe(chunks, keptBytes(deflated));
}

function deflateByZlib(chunks: readonly Uint8Array[], after: readonly Uint8Array[]): Uint8Array {
  const dictionary = after.length > 0 ? { dictionary: Buffer.concat(after) } : {};
  // The sync flush leaves the stream open, at a byte boundary.
  const options = { level: 3, finishFlush: constants.Z_SYNC_FLUSH, ...dictionary };
  return deflateRawSync(
    chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
    options,
  );
}

/** Limit of a stored block (bytes). */
const storedBytes = 0xffff;
const storedHeaderBytes = 5;

/** Stores bytes uncompressed; for those too short to compress. */
export function storePiece(bytes: Uint8Array): Deflated {
  const count = Math.ceil(bytes.length / storedBytes);
  const blocks = Buffer.allocUnsafe(bytes.length + count * storedHeaderBytes);
  let end = 0;
  for (let start = 0; start < bytes.length; start += storedBytes) {
    const part = bytes.subarray(start, start + storedBytes);
    end = blocks.writeUInt8(0, end);
    end = blocks.writeUInt16LE(part.length, end);
    end = blocks.writeUInt16LE(part.length ^ 0xffff, end);
    blocks.set(part, end);
    end += part.length;
  }
  return describe([bytes], blocks);
}

function describe(chunks: readonly Uint8Array[], blocks: Uint8Array): Deflated {
  let crc = 0;
  let length = 0;
  for (const chunk of chunks) {
    crc = crc32(chunk, crc);
    length += chunk.length;
  }
  return { blocks, crc, length, shift: powerOfX(length) };
}

const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** An empty block that is the last one. */
const lastBlock = Uint8Array.of(3, 0);

/** A gzip stream made of pieces. Upstream: RFC 1952. */
export class GzipStream {
  readonly #chunks: Uint8Array[] = [header];
  #crc = 0;
  #size = 0;

  add({ blocks, crc, length, shift }: Deflated): void {
    this.#chunks.push(blocks);
    this.#crc = multiply(shift, this.#crc) ^ crc;
    this.#size += length;
  }

  /** The whole stream; nothing may be added afterwards. */
  end(): Uint8Array[] {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc >>> 0, 0);
    trailer.writeUInt32LE(this.#size >>> 0, 4);
    this.#chunks.push(lastBlock, trailer);
    return this.#chunks;
  }
}

/** The polynomial of CRC-32, without its highest power, in reversed bit order. */
const polynomial = 0xedb88320;

/** Two polynomials multiplied, modulo that of the CRC. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if (rest < 0) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product;
}

/** x to the powers of 8, 16, 32…: each the square of the one before. */
const powers: number[] = [1 << 23];

/** x to the power of 8 × bytes. */
function powerOfX(bytes: number): number {
  let product = 1 << 31;
  for (let rest = bytes, index = 0; rest > 0; rest = Math.floor(rest / 2), index++) {
    const previous = powers[index - 1] ?? 0;
    powers[index] ??= multiply(previous, previous);
    if (rest % 2 === 1) product = multiply(powers[index] ?? 0, product);
  }
  return product;
}
