import type { Steps } from "./steps.ts";

/** Lower limit of the text that is written in one step (characters): some tenths of a millisecond. */
const pieceLength = 64 * 1024;
/** Entries without parts of their own that are written at once (count). */
const entriesAtOnce = 256;

/** Writes a value as JSON.stringify() does, in steps: a large object takes long. Objects with toJSON() are unknown. */
export function* jsonSteps(value: unknown): Steps<Buffer> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const part of partsOf(value)) {
    text += part;
    if (text.length < pieceLength) continue;
    pieces.push(Buffer.from(text));
    text = "";
    yield;
  }
  pieces.push(Buffer.from(text));
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

function* partsOf(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) yield* partsOfList(value);
  else if (isObject(value)) yield* partsOfObject(value);
  else yield JSON.stringify(value) ?? "null";
}

function* partsOfList(list: readonly unknown[]): Generator<string, void> {
  let before = "[";
  let plain: unknown[] = [];
  for (const item of list) {
    const isPlain = !isObject(item);
    if (isPlain) plain.push(item);
    if (plain.length === entriesAtOnce || (!isPlain && plain.length > 0)) {
      yield before + JSON.stringify(plain).slice(1, -1);
      before = ",";
      plain = [];
    }
    if (isPlain) continue;
    yield before;
    yield* partsOf(item);
    before = ",";
  }
  if (plain.length > 0) yield before + JSON.stringify(plain).slice(1, -1);
  yield before === "[" && plain.length === 0 ? "[]" : "]";
}

function* partsOfObject(object: object): Generator<string, void> {
  let before = "{";
  let plain = "";
  let count = 0;
  for (const [key, value] of Object.entries(object)) {
    if (isObject(value)) {
      yield `${plain}${before}${JSON.stringify(key)}:`;
      plain = "";
      count = 0;
      yield* partsOf(value);
    } else {
      const text = JSON.stringify(value);
      if (text === undefined) continue;
      plain += `${before}${JSON.stringify(key)}:${text}`;
      count++;
    }
    before = ",";
    if (count < entriesAtOnce) continue;
    yield plain;
    plain = "";
    count = 0;
  }
  yield `${plain}${before === "{" ? "{" : ""}}`;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
