import { table } from "#/std/base/table.ts";
import type { Scan } from "./token.ts";

type Characters = ArrayLike<string>;

/** The first position from `start` with a character that fails the test. */
export function scanWhile(
  characters: Characters,
  start: number,
  test: (character: string) => boolean,
): number {
  let position = start;
  while (position < characters.length && test(characters[position] ?? "")) position++;
  return position;
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= "0" && character <= "9";
const isHex = (character: string | undefined): boolean =>
  character !== undefined && /^[0-9a-fA-F]$/.test(character);
const isUnsignedMark = (character: string | undefined): boolean =>
  character === "u" || character === "U";

/** A number; undefined if there is none. */
export function scanNumber(characters: Characters, start: number): Scan | undefined {
  if (characters[start] === ".") {
    if (!isDigit(characters[start + 1])) return undefined;
    const digits = scanWhile(characters, start + 1, isDigit);
    return { kind: "NUM_FLOAT", end: scanExponent(characters, digits) };
  }
  if (!isDigit(characters[start])) return undefined;
  if (characters[start] === "0" && characters[start + 1] === "x" && isHex(characters[start + 2])) {
    return withUnsignedMark(characters, scanWhile(characters, start + 2, isHex));
  }
  const whole = scanWhile(characters, start, isDigit);
  let end = whole;
  if (characters[whole] === "." && isDigit(characters[whole + 1])) {
    end = scanWhile(characters, whole + 1, isDigit);
  }
  end = scanExponent(characters, end);
  return end > whole ? { kind: "NUM_FLOAT", end } : withUnsignedMark(characters, whole);
}

function withUnsignedMark(characters: Characters, end: number): Scan {
  return isUnsignedMark(characters[end])
    ? { kind: "NUM_UINT", end: end + 1 }
    : { kind: "NUM_INT", end };
}

function scanExponent(characters: Characters, start: number): number {
  if (characters[start] !== "e" && characters[start] !== "E") return start;
  const sign = characters[start + 1];
  const digits = sign === "+" || sign === "-" ? start + 2 : start + 1;
  return isDigit(characters[digits]) ? scanWhile(characters, digits, isDigit) : start;
}

/** An identifier between backquotes. */
export function scanQuoted(characters: Characters, start: number): Scan {
  const end = scanWhile(characters, start + 1, (character) => /^[\w.\-/ ]$/.test(character));
  if (end === start + 1 || characters[end] !== "`") return { end };
  return { kind: "ESC_IDENTIFIER", end: end + 1 };
}

/** A string or bytes, with any of their prefixes; undefined if there is no quote. */
export function scanString(characters: Characters, start: number): Scan | undefined {
  let position = start;
  const isBytes = characters[position] === "b" || characters[position] === "B";
  if (isBytes) position++;
  const isRaw = characters[position] === "r" || characters[position] === "R";
  if (isRaw) position++;
  const quote = characters[position];
  if (quote !== '"' && quote !== "'") return undefined;
  const kind = isBytes ? "BYTES" : "STRING";
  if (characters[position + 1] === quote && characters[position + 2] === quote) {
    const long = scanLong(characters, position + 3, quote, isRaw);
    if (long !== undefined) return { kind, end: long };
  }
  const short = scanShort(characters, position + 1, quote, isRaw);
  return short.closed ? { kind, end: short.end } : { end: short.end };
}

function scanLong(
  characters: Characters,
  start: number,
  quote: string,
  isRaw: boolean,
): number | undefined {
  let position = start;
  while (position < characters.length) {
    if (
      characters[position] === quote &&
      characters[position + 1] === quote &&
      characters[position + 2] === quote
    ) {
      return position + 3;
    }
    if (isRaw || characters[position] !== "\\") {
      position++;
      continue;
    }
    const sequence = scanEscape(characters, position);
    if (!sequence.closed) return undefined;
    position = sequence.end;
  }
  return undefined;
}

interface Part {
  readonly closed: boolean;
  readonly end: number;
}

function scanShort(characters: Characters, start: number, quote: string, isRaw: boolean): Part {
  let position = start;
  while (position < characters.length) {
    const character = characters[position];
    if (character === quote) return { closed: true, end: position + 1 };
    if (character === "\n" || character === "\r") return { closed: false, end: position };
    if (isRaw || character !== "\\") {
      position++;
      continue;
    }
    const sequence = scanEscape(characters, position);
    if (!sequence.closed) return sequence;
    position = sequence.end;
  }
  return { closed: false, end: position };
}

const hexLengths: Readonly<Record<string, number>> = table({ x: 2, X: 2, u: 4, U: 8 });

/** An escape sequence from its backslash on. */
function scanEscape(characters: Characters, start: number): Part {
  const mark = characters[start + 1] ?? "";
  if (mark !== "" && "abfnrtv\"'\\?`".includes(mark)) return { closed: true, end: start + 2 };
  const [first, count, test] = /^[0-3]$/.test(mark)
    ? [start + 2, 2, isOctal]
    : [start + 2, hexLengths[mark] ?? 0, isHex];
  if (count === 0) return { closed: false, end: start + 1 };
  for (let i = 0; i < count; i++) {
    if (!test(characters[first + i])) return { closed: false, end: first + i };
  }
  return { closed: true, end: first + count };
}

const isOctal = (character: string | undefined): boolean =>
  character !== undefined && /^[0-7]$/.test(character);
