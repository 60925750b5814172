/** An invalid escape sequence in a literal. */
import { table } from "#/std/base/table.ts";
export class LiteralError extends Error {
  override readonly name = "LiteralError";
}

const named: Readonly<Record<string, string>> = table({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
});

const sequence =
  /\\(?:([xX])([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;

/**
 * The value of a string literal, given with its prefix and quotes.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/unescape.go.
 */
export function unescapeString(literal: string): string {
  const { body, raw } = content(literal);
  if (raw) return body;
  return body.replace(sequence, (_, _x, byte, short, long, octal, character) => {
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return fromCodePoint(Number.parseInt(octal, 8));
    return named[character] ?? character;
  });
}

/** The value of a bytes literal, given without its b; hexadecimal and octal escapes are bytes. */
export function unescapeBytes(literal: string): Uint8Array {
  const { body, raw } = content(literal);
  if (raw) return Buffer.from(body);
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of body.matchAll(sequence)) {
    const [whole, , byte, short, long, octal, character = ""] = match;
    if (short !== undefined || long !== undefined)
      throw new LiteralError("unable to unescape string");
    parts.push(Buffer.from(body.slice(last, match.index)));
    if (byte !== undefined) parts.push(Buffer.of(Number.parseInt(byte, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)));
    else parts.push(Buffer.from(named[character] ?? character));
    last = match.index + whole.length;
  }
  parts.push(Buffer.from(body.slice(last)));
  return Buffer.concat(parts);
}

/** Invariant: the lexer has validated the quotes and the form of all escapes. */
function content(literal: string): { body: string; raw: boolean } {
  const normal = literal.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const raw = normal.startsWith("r") || normal.startsWith("R");
  const quoted = raw ? normal.slice(1) : normal;
  const long = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''"));
  return { body: long ? quoted.slice(3, -3) : quoted.slice(1, -1), raw };
}

function fromCodePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new LiteralError("invalid unicode code point");
  }
  return String.fromCodePoint(code);
}
