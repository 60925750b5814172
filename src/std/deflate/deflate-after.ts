import { DeflateSymbols } from "./deflate-symbols.ts";

/** How far back deflate can point. */
const windowBytes = 32 * 1024;
/** What is longer is left to others. */
const bytesMost = 512 * 1024;
/** What isn't made so many times smaller is left to others, who do better with it. */
const leastRatio = 8;
/** Matches are found by words of this size; DataView reads them wherever they stand. */
const wordBytes = 4;
const hashBits = 12;
/** Every so many bytes of what came before can be found. */
const knownStep = 8;
/** The same for what a match has covered, which can be found as well where it was copied from. */
const matchedStep = 32;

/** The bytes before, and after them those to compress. */
const text = new DataView(new ArrayBuffer(windowBytes + bytesMost));
const textBytes = new Uint8Array(text.buffer);
/** Twice as big as it gets, more or less: it is looked at before symbols are written. */
const symbols = new DeflateSymbols((2 * bytesMost) / leastRatio);
/** Where words were seen last, by hash; what is below `base` is of earlier texts. */
const places = new Int32Array(1 << hashBits);
let base = 1;
const baseMost = 2 ** 30;

/**
 * Compresses bytes that are much like those sent right before them, several times quicker than zlib: two objects of a kind
 * differ in a few places, and all else is one comparison. Gives whole deflate blocks that end at a byte, none of them the
 * last one, in a buffer that is good until the next call; undefined for bytes that aren't alike.
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

/** Puts everything in a row; returns where the bytes to compress begin. */
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

/** False when it gets longer than it may. */
function writeSymbols(start: number, end: number, limit: number): boolean {
  // Objects that are alike begin alike, and go on alike after a difference.
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

/** How far before it the word at a place was seen: as far as is usual or, if it wasn't there, last; 0 if nowhere. */
function findDistance(at: number, usual: number): number {
  const word = text.getInt32(at, true);
  if (usual > 0 && text.getInt32(at - usual, true) === word) return usual;
  const slot = hash(word);
  const place = (places[slot] ?? 0) - base;
  places[slot] = base + at;
  if (place < 0 || at - place > windowBytes) return 0;
  return text.getInt32(place, true) === word ? at - place : 0;
}

/** Where what is the same begins, of what isn't written yet. */
function matchStart(at: number, distance: number, written: number): number {
  const least = Math.max(written, distance);
  let first = at;
  while (first > least && text.getUint8(first - 1) === text.getUint8(first - 1 - distance)) first--;
  return first;
}

/** Where what is the same ends. */
function matchEnd(from: number, distance: number, end: number): number {
  let at = from;
  while (at + 4 * wordBytes <= end && differences(at, at - distance) === 0) at += 4 * wordBytes;
  while (at < end && text.getUint8(at) === text.getUint8(at - distance)) at++;
  return at;
}

/** 0 when the next four words are the same. */
function differences(a: number, b: number): number {
  return (
    (text.getInt32(a, true) ^ text.getInt32(b, true)) |
    (text.getInt32(a + 4, true) ^ text.getInt32(b + 4, true)) |
    (text.getInt32(a + 8, true) ^ text.getInt32(b + 8, true)) |
    (text.getInt32(a + 12, true) ^ text.getInt32(b + 12, true))
  );
}

/** Each is about a byte; false when that is too much. */
function writeLiterals(from: number, to: number, limit: number): boolean {
  if (symbols.length + to - from > limit) return false;
  for (let at = from; at < to; at++) symbols.literal(text.getUint8(at));
  return true;
}
