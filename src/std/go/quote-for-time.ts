const encoder = new TextEncoder();

/** The quoting of Go's time package: bytes beyond ASCII and control characters in hexadecimal. */
export function quoteForTime(text: string): string {
  let quoted = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === "\\") quoted += `\\${character}`;
    else if (code >= 0x20 && code < 0x80) quoted += character;
    else
      for (const byte of encoder.encode(character))
        quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `"${quoted}"`;
}
