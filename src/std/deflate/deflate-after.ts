import { DeflateSymbols } from "./deflate-symbols.ts";

/** Size of deflate's window (bytes). */
const windowBytes = 32 * 1024;
/** Limit of the input (bytes); longer ones are declined. */
const bytesMost = 512 * 1024;
/** Least compression ratio; others are declined, as zlib does better with them. */
const leastRatio = 8;
/** Matches are found by words of this size (bytes); DataView reads them unaligned. */
const wordBytes = 4;
const hashBits = 12;
/** Every n-th position of the bytes before is indexed. */
const knownStep = 8;
/** The same for bytes covered by a match, which are indexed at their source as well. */
const matchedStep = 32;

/** The bytes before, followed by those to compress. */
const text = new DataView(new ArrayBuffer(windowBytes + bytesMost));
const textBytes = new Uint8Array(text.buffer);
/** About twice the final size: the limit is checked before symbols are written. */
const symbols = new DeflateSymbols((2 * bytesMost) / leastRatio);
/** The last position of each word, by hash; positions below `base` are of earlier texts. */
const places = new Int32Array(1 << hashBits);
let base = 1;
const baseMost = 2 ** 30;

/**
 * Compresses bytes that are similar to those sent right before them, several times faster than
 * zlib: two objects of a kind differ in a few places, and the rest is one comparison. Returns whole
 * deflate blocks that end at a byte boundary, none of them the last one, in a buffer that is valid
 * until the next call; undefined for dissimilar bytes.
 */
export function deflateAfter(
  before: readonly Uint8Array[],
  chunks: readonly Uint8Array[],
): Uint8Array | undefined {
  const length = sizeOf(chunks);
  if (length > bytesMost) return undefined;
  const start = load(before, chunks);
  const end = start + length;
  if (base > baseMost) {
    places.fill(0);
    base = 1;
  }
  remember(0, start - wordBytes, knownStep);
  symbols.begin();
  const fits = writeSymbols(start, end, Math.ceil(length / leastRatio));
  base += end;
  return fits ? symbols.end() : undefined;
}

/** Concatenates everything; returns the start of the bytes to compress. */
function load(before: readonly Uint8Array[], chunks: readonly Uint8Array[]): number {
  let skipped = Math.max(0, sizeOf(before) - windowBytes);
  let at = 0;
  for (const chunk of before) {
    const part = chunk.subarray(skipped);
    skipped -= chunk.length - part.length;
    textBytes.set(part, at);
    at += part.length;
  }
  const start = at;
  for (const chunk of chunks) {
    textBytes.set(chunk, at);
    at += chunk.length;
  }
  return start;
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  let size = 0;
  for (const { length } of chunks) size += length;
  return size;
}

function remember(from: number, to: number, step: number): void {
  for (let at = from; at <= to; at += step) places[hash(text.getInt32(at, true))] = base + at;
}

function hash(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
}

/** False when the output exceeds the limit. */
function writeSymbols(start: number, end: number, limit: number): boolean {
  // Similar objects have matches at the same distance, also after a difference.
  let usual = start;
  let written = start;
  let at = start;
  while (at + wordBytes <= end) {
    const distance = findDistance(at, usual);
    if (distance === 0) {
      if (++at - written > limit) return false;
      continue;
    }
    const first = matchStart(at, distance, written);
    if (!writeLiterals(written, first, limit)) return false;
    const last = matchEnd(at + wordBytes, distance, end);
    symbols.match(last - first, distance);
    remember(at + matchedStep, last - wordBytes, matchedStep);
    usual = distance;
    at = last;
    written = last;
  }
  return writeLiterals(written, end, limit);
}

/**
 * The distance to an earlier occurrence of the word at a position: the usual distance, else the
 * last occurrence; 0 if there is none.
 */
function findDistance(at: number, usual: number): number {
  const word = text.getInt32(at, true);
  if (usual > 0 && text.getInt32(at - usual, true) === word) return usual;
  const slot = hash(word);
  const place = (places[slot] ?? 0) - base;
  places[slot] = base + at;
  if (place < 0 || at - place > windowBytes) return 0;
  return text.getInt32(place, true) === word ? at - place : 0;
}

/** Extends a match backwards over unwritten bytes. */
function matchStart(at: number, distance: number, written: number): number {
  const least = Math.max(written, distance);
  let first = at;
  while (first > least && text.getUint8(first - 1) === text.getUint8(first - 1 - distance)) first--;
  return first;
}

/** The end of a match. */
function matchEnd(from: number, distance: number, end: number): number {
  let at = from;
  while (at + 4 * wordBytes <= end && differences(at, at - distance) === 0) at += 4 * wordBytes;
  while (at < end && text.getUint8(at) === text.getUint8(at - distance)) at++;
  return at;
}

/** 0 when the next four words are equal. */
function differences(a: number, b: number): number {
  return (
    (text.getInt32(a, true) ^ text.getInt32(b, true)) |
    (text.getInt32(a + 4, true) ^ text.getInt32(b + 4, true)) |
    (text.getInt32(a + 8, true) ^ text.getInt32(b + 8, true)) |
    (text.getInt32(a + 12, true) ^ text.getInt32(b + 12, true))
  );
}

/** Each takes about a byte; false when the limit is exceeded. */
function writeLiterals(from: number, to: number, limit: number): boolean {
  if (symbols.length + to - from > limit) return false;
  for (let at = from; at < to; at++) symbols.literal(text.getUint8(at));
  return true;
}
