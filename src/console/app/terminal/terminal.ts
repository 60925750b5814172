/** Upstream: ECMA-48 and the control sequences of xterm, as far as programs use them. */
import { widthOf } from "./character-width.ts";
import { lookAfter, plainLook } from "./looks.ts";
import { screenCommands } from "./screen-commands.ts";
import { type SequenceHandler, SequenceParser } from "./sequence-parser.ts";
import type { TerminalLine } from "./terminal-line.ts";
import { type TerminalModes, usualModes } from "./terminal-modes.ts";
import { TerminalScreen } from "./terminal-screen.ts";

/** Where the cursor was, and with which look. */
interface SavedCursor {
  readonly row: number;
  readonly column: number;
  readonly look: TerminalScreen["look"];
}

/** The line drawing of the DEC VT100: what the letters from ` to ~ are then. */
const lineDrawing = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

/** Columns between two tab stops. */
const tabWidth = 8;

/**
 * A terminal: what programs write changes its lines. It draws nothing; `reply` gets what a terminal answers to a program
 * that asks. It has no commands that read or write the user's clipboard.
 */
export class Terminal implements SequenceHandler {
  readonly #main: TerminalScreen;
  #other: TerminalScreen;
  #isOther = false;
  modes: TerminalModes = usualModes;
  /** The title that a program has set; "" without one. */
  title = "";
  readonly #reply: (text: string) => void;
  readonly #parser = new SequenceParser(this);
  #saved: SavedCursor = { row: 0, column: 0, look: plainLook };
  #draws = [false, false];
  #set = 0;
  #last = " ";

  constructor(
    size: { readonly columns: number; readonly rows: number },
    reply: (text: string) => void,
  ) {
    this.#main = new TerminalScreen(size.columns, size.rows, true);
    this.#other = new TerminalScreen(size.columns, size.rows, false);
    this.#reply = reply;
  }

  get screen(): TerminalScreen {
    return this.#isOther ? this.#other : this.#main;
  }

  /** The lines that can be scrolled to, then those of the screen. */
  get lines(): readonly TerminalLine[] {
    const { history, lines } = this.screen;
    return [...history, ...lines];
  }

  get isWholeWindow(): boolean {
    return this.#isOther;
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#main.resize(columns, rows);
    this.#other.resize(columns, rows);
  }

  print(text: string): void {
    const draws = this.#draws[this.#set];
    for (const character of text) {
      const drawn = draws ? (lineDrawing[character.charCodeAt(0) - 0x60] ?? character) : character;
      this.#put(drawn);
    }
  }

  #put(character: string): void {
    const { screen } = this;
    const width = widthOf(character);
    if (width === 0) {
      screen.line.join(Math.max(0, screen.isAtEnd ? screen.column : screen.column - 1), character);
      return;
    }
    if (screen.isAtEnd || screen.column + width > screen.columns) this.#wrap();
    const { line, column, look } = screen;
    if (this.modes.inserts) line.insert(column, width, screen.blank);
    line.set(column, character, look);
    if (width === 2 && column + 1 < screen.columns) line.set(column + 1, "", look);
    this.#last = character;
    const next = column + width;
    if (next < screen.columns) screen.column = next;
    else {
      screen.column = screen.columns - 1;
      screen.isAtEnd = this.modes.wraps;
    }
  }

  #wrap(): void {
    if (!this.modes.wraps) return;
    this.screen.lineFeed();
    this.screen.column = 0;
  }

  control(code: number): void {
    const { screen } = this;
    if (code === 0x08) screen.moveTo(screen.row, screen.column - 1);
    else if (code === 0x09) this.tab(1);
    else if (code >= 0x0a && code <= 0x0c) screen.lineFeed();
    else if (code === 0x0d) screen.moveTo(screen.row, 0);
    else if (code === 0x0e) this.#set = 1;
    else if (code === 0x0f) this.#set = 0;
  }

  /** Moves to a tab stop, forward or back. */
  tab(count: number): void {
    const { screen } = this;
    const stop = Math.floor(screen.column / tabWidth) + count;
    const isBack = count < 0 && screen.column % tabWidth !== 0;
    screen.moveTo(screen.row, (isBack ? stop + 1 : stop) * tabWidth);
  }

  escape(final: string, between: string): void {
    const { screen } = this;
    if (between === "(" || between === ")") this.#draws[between === "(" ? 0 : 1] = final === "0";
    else if (between !== "") return;
    else if (final === "7") this.saveCursor();
    else if (final === "8") this.restoreCursor();
    else if (final === "D") screen.lineFeed();
    else if (final === "M") screen.reverseLineFeed();
    else if (final === "E") {
      screen.lineFeed();
      screen.column = 0;
    } else if (final === "=" || final === ">") this.#mode({ sendsKeypad: final === "=" });
    else if (final === "c") this.reset();
  }

  message(text: string): void {
    const [, title] = /^[02];(.*)$/s.exec(text) ?? [];
    if (title !== undefined) this.title = title;
  }

  command(final: string, numbers: readonly number[], prefix: string): void {
    if (prefix === "?" && (final === "h" || final === "l")) {
      for (const number of numbers) this.#privateMode(number, final === "h");
    } else if (final === "c" && prefix !== "?") {
      this.#reply(prefix === ">" ? "\u001b[>0;10;0c" : "\u001b[?62;22c");
    } else if (prefix !== "") return;
    else if (final === "m") this.screen.look = lookAfter(this.screen.look, numbers);
    else if (final === "n") this.#report(numbers[0] ?? 0);
    else if (final === "s") this.saveCursor();
    else if (final === "u") this.restoreCursor();
    else if (final === "I") this.tab(numbers[0] || 1);
    else if (final === "Z") this.tab(-(numbers[0] || 1));
    else if (final === "b") this.#repeat(numbers[0] || 1);
    else if (final === "h" || final === "l") {
      if (numbers.includes(4)) this.#mode({ inserts: final === "h" });
    } else if (Object.hasOwn(screenCommands, final)) {
      screenCommands[final]?.(this.screen, numbers, this.modes);
    }
  }

  #repeat(count: number): void {
    for (let done = 0; done < Math.min(count, this.screen.columns); done++) this.#put(this.#last);
  }

  #report(what: number): void {
    const { row, column, top } = this.screen;
    const shown = this.modes.isRelative ? row - top : row;
    if (what === 5) this.#reply("\u001b[0n");
    else if (what === 6) this.#reply(`\u001b[${shown + 1};${column + 1}R`);
  }

  #mode(changes: Partial<TerminalModes>): void {
    this.modes = { ...this.modes, ...changes };
  }

  #privateMode(number: number, isOn: boolean): void {
    if (number === 1) this.#mode({ sendsApplicationKeys: isOn });
    else if (number === 6) {
      this.#mode({ isRelative: isOn });
      this.screen.moveTo(isOn ? this.screen.top : 0, 0);
    } else if (number === 7) this.#mode({ wraps: isOn });
    else if (number === 25) this.#mode({ showsCursor: isOn });
    else if (number === 2004) this.#mode({ marksPastes: isOn });
    else if (number === 47 || number === 1047) this.#useOther(isOn);
    else if (number === 1048) isOn ? this.saveCursor() : this.restoreCursor();
    else if (number === 1049) {
      if (isOn) this.saveCursor();
      this.#useOther(isOn);
      if (!isOn) this.restoreCursor();
    }
  }

  #useOther(isOn: boolean): void {
    if (isOn === this.#isOther) return;
    const { columns, rows } = this.#main;
    if (isOn) this.#other = new TerminalScreen(columns, rows, false);
    this.#isOther = isOn;
  }

  saveCursor(): void {
    const { row, column, look } = this.screen;
    this.#saved = { row, column, look };
  }

  restoreCursor(): void {
    const { row, column, look } = this.#saved;
    this.screen.moveTo(row, column);
    this.screen.look = look;
  }

  /** As new, but for the history. */
  reset(): void {
    this.#useOther(false);
    const { screen } = this;
    screen.look = plainLook;
    screen.top = 0;
    screen.bottom = screen.rows - 1;
    screen.eraseRows(0, screen.rows);
    screen.moveTo(0, 0);
    this.modes = usualModes;
    this.#draws = [false, false];
    this.#set = 0;
  }
}
