import { type Look, plainLook } from "./looks.ts";
import { TerminalLine } from "./terminal-line.ts";

/** Limit of the lines above the screen (count): the browser's memory; the oldest are dropped. */
const maxHistory = 5_000;

/**
 * The lines of a terminal and its cursor. A program that draws on the whole window has a second screen, without history.
 *
 * Invariant: 0 <= row < rows, 0 <= column < columns, 0 <= top <= bottom < rows.
 */
export class TerminalScreen {
  columns: number;
  rows: number;
  row = 0;
  column = 0;
  /** The lines that scroll, the first and the last. */
  top = 0;
  bottom: number;
  look: Look = plainLook;
  /** The next character begins a new line. */
  isAtEnd = false;
  readonly lines: TerminalLine[];
  readonly history: TerminalLine[] = [];
  readonly #keepsHistory: boolean;

  constructor(columns: number, rows: number, keepsHistory: boolean) {
    this.columns = columns;
    this.rows = rows;
    this.bottom = rows - 1;
    this.#keepsHistory = keepsHistory;
    this.lines = Array.from({ length: rows }, () => new TerminalLine(columns));
  }

  /** The line of the cursor. */
  get line(): TerminalLine {
    return this.lineAt(this.row);
  }

  lineAt(row: number): TerminalLine {
    const found = this.lines[row];
    if (!found) throw new RangeError(`no row ${row} of ${this.rows}`);
    return found;
  }

  /** The usual look with the present background: what erased places get. */
  get blank(): Look {
    const { background } = this.look;
    return background === undefined ? plainLook : { ...plainLook, background };
  }

  moveTo(row: number, column: number): void {
    this.row = within(row, 0, this.rows - 1);
    this.column = within(column, 0, this.columns - 1);
    this.isAtEnd = false;
  }

  /** To the next line; at the last one that scrolls, the others move up. */
  lineFeed(): void {
    this.isAtEnd = false;
    if (this.row === this.bottom) this.scrollUp(1);
    else if (this.row < this.rows - 1) this.row++;
  }

  /** To the line before; at the first one that scrolls, the others move down. */
  reverseLineFeed(): void {
    this.isAtEnd = false;
    if (this.row === this.top) this.scrollDown(1);
    else if (this.row > 0) this.row--;
  }

  scrollUp(count: number): void {
    for (let done = 0; done < Math.min(count, this.bottom - this.top + 1); done++) {
      const [gone] = this.lines.splice(this.top, 1);
      if (gone && this.top === 0) this.#keep(gone);
      this.lines.splice(this.bottom, 0, new TerminalLine(this.columns, this.blank));
    }
  }

  scrollDown(count: number): void {
    this.#shiftDown(this.top, count);
  }

  insertLines(count: number): void {
    if (this.row >= this.top && this.row <= this.bottom) this.#shiftDown(this.row, count);
  }

  removeLines(count: number): void {
    if (this.row < this.top || this.row > this.bottom) return;
    for (let done = 0; done < Math.min(count, this.bottom - this.row + 1); done++) {
      this.lines.splice(this.row, 1);
      this.lines.splice(this.bottom, 0, new TerminalLine(this.columns, this.blank));
    }
  }

  #shiftDown(from: number, count: number): void {
    for (let done = 0; done < Math.min(count, this.bottom - from + 1); done++) {
      this.lines.splice(this.bottom, 1);
      this.lines.splice(from, 0, new TerminalLine(this.columns, this.blank));
    }
  }

  #keep(line: TerminalLine): void {
    if (!this.#keepsHistory) return;
    this.history.push(line);
    if (this.history.length > maxHistory) this.history.shift();
  }

  eraseRows(from: number, to: number): void {
    for (let row = from; row < to; row++) this.lineAt(row).erase(0, this.columns, this.blank);
  }

  /** Another size. Empty lines below the cursor give way first, then those above it become history. */
  resize(columns: number, rows: number): void {
    while (this.lines.length > rows && this.lines.length - 1 > this.row) this.lines.pop();
    while (this.lines.length > rows) {
      const gone = this.lines.shift();
      if (gone) this.#keep(gone);
      this.row--;
    }
    while (this.lines.length < rows) this.lines.push(new TerminalLine(columns));
    for (const line of this.lines) line.fit(columns);
    this.columns = columns;
    this.rows = rows;
    this.top = 0;
    this.bottom = rows - 1;
    this.moveTo(this.row, this.column);
  }
}

export const within = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value));
