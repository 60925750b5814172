/**
 * Upstream: Go's strconv.UnquoteChar; staging/src/k8s.io/client-go/util/jsonpath/parser.go
 * (UnquoteExtend) for single quotes.
 */

const named: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const part =
  /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-7]{3})|\\(.)|([^\\])/suy;

/**
 * The content of a text in single or double quotes; undefined for an invalid escape or an inner
 * quote.
 */
export function goUnquote(quoted: string): string | undefined {
  const [quote = ""] = quoted;
  const text = quoted.slice(1, -1);
  if (!text.includes("\\") && !text.includes(quote)) return text;
  const bytes: Buffer[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    const piece = match && pieceOf(match, quote);
    if (piece === undefined || piece === null) return undefined;
    bytes.push(piece);
  }
  return Buffer.concat(bytes).toString();
}

function pieceOf(match: RegExpExecArray, quote: string): Buffer | undefined {
  const [, byte, short, long, octal, letter, plain] = match;
  if (plain !== undefined) return plain === quote ? undefined : Buffer.from(plain);
  if (byte !== undefined) return Buffer.of(Number.parseInt(byte, 16));
  if (octal !== undefined) {
    const code = Number.parseInt(octal, 8);
    return code > 255 ? undefined : Buffer.of(code);
  }
  const hex = short ?? long;
  if (hex !== undefined) {
    const code = Number.parseInt(hex, 16);
    const isValid = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isValid ? Buffer.from(String.fromCodePoint(code)) : undefined;
  }
  if (letter === quote) return Buffer.from(letter);
  const meant = named[letter ?? ""];
  return meant === undefined ? undefined : Buffer.from(meant);
}

/** The code of a character in single quotes; undefined if it is none, or several. */
export function goUnquoteCharacter(quoted: string): number | undefined {
  const byte = /^'\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2}))'$/.exec(quoted);
  // A byte escape is the character with this code, not a part of UTF-8.
  if (byte) return byte[1] ? Number.parseInt(byte[1], 16) : Number.parseInt(byte[2] ?? "", 8);
  const [character, ...more] = goUnquote(quoted) ?? "";
  return more.length === 0 ? character?.codePointAt(0) : undefined;
}
