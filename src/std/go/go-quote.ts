const named: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Most texts are ASCII without characters to escape. */
const plain = /^[ !#-[\]-~]*$/;

/** A string in double quotes as Go's `%q` writes it, for error messages and logs. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  // Go escapes all but letters, marks, numbers, punctuation, symbols and space.
  const escaped = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
  return `"${text.toWellFormed().replace(escaped, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const short = named[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
