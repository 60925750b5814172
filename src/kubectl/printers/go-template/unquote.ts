/** Upstream: Go's strconv.Unquote. */

const named: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const escapeSequence =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/g;

/** What a text in Go's double quotes means. */
export function unquoteString(quoted: string): string {
  return withoutEscapes(quoted.slice(1, -1));
}

/** The number of a character in single quotes. */
export function unquoteCharacter(quoted: string): number {
  return withoutEscapes(quoted.slice(1, -1)).codePointAt(0) ?? 0;
}

function withoutEscapes(text: string): string {
  return text.replace(
    escapeSequence,
    (_, byte?: string, short?: string, long?: string, octal?: string, letter = ""): string => {
      const hex = byte ?? short ?? long;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return named[letter as string] ?? (letter as string);
    },
  );
}
