/** The offset of an issue without a position. */
export const noOffset = -1;

/** Limit of a line that is printed with an issue (bytes). */
const maxSnippetBytes = 16_384;

/**
 * The text of an expression, addressed by code point.
 *
 * Upstream: vendor/github.com/google/cel-go/common/source.go, error.go.
 */
export class Source {
  /** One element for each code point. */
  readonly characters: ArrayLike<string>;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    const wellFormed = text.toWellFormed();
    this.characters = /[\ud800-\udfff]/.test(wellFormed) ? Array.from(wellFormed) : wellFormed;
    this.#lineStarts = lineStarts(this.characters);
  }

  get length(): number {
    return this.characters.length;
  }

  slice(start: number, end: number): string {
    let text = "";
    for (let i = start; i < end; i++) text += this.characters[i];
    return text;
  }

  /** An issue as shown to the author: position, message, the line and a mark below the position. */
  display(offset: number, message: string): string {
    if (offset === noOffset) return `ERROR: <input>:-1:0: ${message}`;
    if (this.length === 0) return `ERROR: <input>:1:0: ${message}`;
    const line = this.#lineStarts.findLastIndex((start) => start <= offset);
    const start = this.#lineStarts[line] ?? 0;
    const column = offset - start;
    const head = `ERROR: <input>:${line + 1}:${column + 1}: ${message}`;
    const end = (this.#lineStarts[line + 1] ?? this.length + 1) - 1;
    const snippet = this.slice(start, end);
    if (Buffer.byteLength(snippet) > maxSnippetBytes) return head;
    return `${head}\n | ${snippet.replaceAll("\t", " ")}\n | ${this.#mark(start, end, column)}`;
  }

  #mark(start: number, end: number, column: number): string {
    let mark = "";
    for (let i = start; i < Math.min(end, start + column); i++)
      mark += this.#isWide(i) ? "．" : ".";
    return mark + (start + column < end && this.#isWide(start + column) ? "＾" : "^");
  }

  #isWide(offset: number): boolean {
    return (this.characters[offset]?.codePointAt(0) ?? 0) > 0x7f;
  }
}

function lineStarts(characters: ArrayLike<string>): number[] {
  const starts = [0];
  for (let i = 0; i < characters.length; i++) if (characters[i] === "\n") starts.push(i + 1);
  return starts;
}
