import { constants, crc32, deflateRawSync } from "node:zlib";
import { longLivedBytes } from "#/std/long-lived-bytes.ts";

/** Bytes compressed on their own, so that they can stand at any place of a gzip stream. */
export interface Deflated {
  /** Whole deflate blocks, none of them the last one; they end at a byte. */
  readonly blocks: Uint8Array;
  /** CRC-32 of the bytes. */
  readonly crc: number;
  /** How many bytes there were. */
  readonly length: number;
  /** x to the power of 8 × length, modulo the polynomial of the CRC: what a CRC before these bytes is multiplied by. */
  readonly shift: number;
}

/** Compresses bytes. */
export function deflatePiece(bytes: Uint8Array): Deflated {
  // The finishing flush leaves the stream open, at a byte's end.
  const deflated = deflateRawSync(bytes, { level: 3, finishFlush: constants.Z_SYNC_FLUSH });
  // What zlib gives is the start of a bigger buffer.
  const blocks = longLivedBytes(deflated.length);
  blocks.set(deflated);
  return describe(bytes, blocks);
}

/** Longest block that deflate can store as it is. */
const storedBytes = 0xffff;
const storedHeaderBytes = 5;

/** Takes bytes as they are; for those that are too few to be worth compressing. */
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
  return describe(bytes, blocks);
}

function describe(bytes: Uint8Array, blocks: Uint8Array): Deflated {
  return { blocks, crc: crc32(bytes), length: bytes.length, shift: powerOfX(bytes.length) };
}

const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** An empty block that is the last one. */
const lastBlock = Uint8Array.of(3, 0);

/** A gzip stream of pieces. Upstream: RFC 1952. */
export function joinGzip(pieces: readonly Deflated[]): Uint8Array[] {
  let crc = 0;
  let size = 0;
  const chunks: Uint8Array[] = [header];
  for (const piece of pieces) {
    chunks.push(piece.blocks);
    crc = multiply(piece.shift, crc) ^ piece.crc;
    size += piece.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc >>> 0, 0);
  trailer.writeUInt32LE(size >>> 0, 4);
  chunks.push(lastBlock, trailer);
  return chunks;
}

/** The polynomial of CRC-32, without its highest power; powers go from left to right. */
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
