/** Upstream: github.com/liggitt/tabwriter (Go's text/tabwriter, which remembers widths). */

export interface TabWriterOptions {
  readonly minWidth?: number;
  readonly padding?: number;
  /** Columns are never narrower than they were before the last flush. */
  readonly remembersWidths?: boolean;
}

/** Aligns text in columns: cells end with a tab, and a column reaches over lines that follow each other. */
export class TabWriter {
  readonly #write: (text: string) => void;
  readonly #minWidth: number;
  readonly #padding: number;
  readonly #remembered: number[] | undefined;
  #lines: string[][] = [];
  /** Text since the last line end. */
  #rest = "";

  /** The defaults are those of kubectl's tables. */
  constructor(write: (text: string) => void, options: TabWriterOptions = {}) {
    const { minWidth = 6, padding = 3, remembersWidths = true } = options;
    this.#write = write;
    this.#minWidth = minWidth;
    this.#padding = padding;
    this.#remembered = remembersWidths ? [] : undefined;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#lines.push(line.split("\t"));
  }

  /** Resets the remembered widths. */
  forgetWidths(): void {
    if (this.#remembered) this.#remembered.length = 0;
  }

  /** Writes all buffered lines. */
  flush(): void {
    const hasRest = this.#rest !== "";
    const lines = hasRest ? [...this.#lines, this.#rest.split("\t")] : this.#lines;
    this.#lines = [];
    this.#rest = "";
    if (lines.length === 0) return;
    const text = lines.map(() => "");
    this.#format(lines, text, { from: 0, to: lines.length, widths: [] });
    this.#write(text.join("\n") + (hasRest ? "" : "\n"));
  }

  /** Formats lines, given the widths of the first columns. */
  #format(lines: readonly string[][], text: string[], block: Block): void {
    const { to, widths } = block;
    const column = widths.length;
    let { from } = block;
    for (let line = from; line < to; line++) {
      if (column >= (lines[line]?.length ?? 0) - 1) continue;
      this.#writeLines(lines, text, { from, to: line, widths });
      from = line;
      let width = this.#minWidth;
      for (; line < to; line++) {
        const cells = lines[line] ?? [];
        if (column >= cells.length - 1) break;
        width = Math.max(width, textWidth(cells[column] ?? "") + this.#padding);
      }
      this.#format(lines, text, {
        from,
        to: line,
        widths: [...widths, this.#remember(column, width, widths)],
      });
      from = line;
      line--;
    }
    this.#writeLines(lines, text, { from, to, widths });
  }

  #remember(column: number, width: number, widths: readonly number[]): number {
    const remembered = this.#remembered;
    if (!remembered) return width;
    while (remembered.length < column) remembered.push(widths[remembered.length] ?? 0);
    const widest = Math.max(remembered[column] ?? 0, width);
    remembered[column] = widest;
    return widest;
  }

  #writeLines(lines: readonly string[][], text: string[], { from, to, widths }: Block): void {
    for (let line = from; line < to; line++) {
      text[line] = (lines[line] ?? [])
        .map((cell, i) => {
          const width = widths[i];
          return width === undefined
            ? cell
            : cell + " ".repeat(Math.max(0, width - textWidth(cell)));
        })
        .join("");
    }
  }
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly widths: readonly number[];
}

/** In characters, not in UTF-16 units. */
function textWidth(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 0x7f) return [...text].length;
  }
  return text.length;
}
