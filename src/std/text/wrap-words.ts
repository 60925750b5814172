/** Upstream: github.com/mitchellh/go-wordwrap. */

/** Breaks lines between words to keep a width limit; longer words stay whole. */
export function wrapWords(text: string, limit: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, limit))
    .join("\n");
}

function wrapLine(line: string, limit: number): string {
  let [wrapped, length] = ["", 0];
  for (const [, spaces = "", word = ""] of line.matchAll(/([^\S\u00a0]*)((?:\S|\u00a0)*)/g)) {
    const [spaceWidth, wordWidth] = [[...spaces].length, [...word].length];
    if (word === "") return length + spaceWidth > limit ? wrapped : wrapped + spaces;
    // Without room for a word and its spaces, the spaces end the line; a word as long as the limit
    // doesn't move.
    const breaks = length + spaceWidth + Math.min(wordWidth, limit - 1) > limit;
    wrapped += breaks ? `\n${word}` : spaces + word;
    length = breaks ? wordWidth : length + spaceWidth + wordWidth;
  }
  return wrapped;
}

/** Indents each line, empty ones too. */
export function indentLines(text: string, width: number): string {
  const pad = " ".repeat(width);
  return pad + text.replaceAll("\n", `\n${pad}`);
}
