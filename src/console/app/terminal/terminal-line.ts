import { type Look, plainLook } from "./looks.ts";

/** A line of a terminal. It is changed in place; `version` says that it was. */
export class TerminalLine {
  version = 0;
  /** A character for each column; "" in the second column of a wide one. */
  readonly characters: string[];
  readonly looks: Look[];

  constructor(columns: number, look: Look = plainLook) {
    this.characters = Array<string>(columns).fill(" ");
    this.looks = Array<Look>(columns).fill(look);
  }

  set(column: number, character: string, look: Look): void {
    this.characters[column] = character;
    this.looks[column] = look;
    this.version++;
  }

  /** Adds a mark to the character of a column. */
  join(column: number, mark: string): void {
    const known = this.characters[column] ?? " ";
    if (known.length < maxMarks) this.characters[column] = known + mark;
    this.version++;
  }

  erase(from: number, to: number, look: Look): void {
    this.characters.fill(" ", from, to);
    this.looks.fill(look, from, to);
    this.version++;
  }

  /** Inserts blanks; what is moved past the end is lost. */
  insert(column: number, count: number, look: Look): void {
    const columns = this.characters.length;
    const added = Math.min(count, columns - column);
    this.characters.splice(column, 0, ...Array<string>(added).fill(" "));
    this.looks.splice(column, 0, ...Array<Look>(added).fill(look));
    this.characters.length = columns;
    this.looks.length = columns;
    this.version++;
  }

  /** Removes characters; blanks follow at the end. */
  remove(column: number, count: number, look: Look): void {
    const columns = this.characters.length;
    this.characters.splice(column, count);
    this.looks.splice(column, count);
    this.fit(columns, look);
  }

  /** Gives the line another number of columns. */
  fit(columns: number, look: Look = plainLook): void {
    while (this.characters.length < columns) {
      this.characters.push(" ");
      this.looks.push(look);
    }
    this.characters.length = columns;
    this.looks.length = columns;
    this.version++;
  }

  get isBlank(): boolean {
    return this.characters.every((character) => character === " ");
  }

  get text(): string {
    return this.characters.join("").trimEnd();
  }
}

/** Limit of a character with its marks (characters): a program can send marks without end. */
const maxMarks = 16;

/** A part of a line with one look. */
export interface TextRun {
  readonly text: string;
  readonly look: Look;
  /** The width differs from that of the font's letters. */
  readonly isWide: boolean;
  readonly isCursor: boolean;
}

/** The parts of a line; blanks at its end are left out. */
export function runsOf(line: TerminalLine, cursor?: number): TextRun[] {
  const runs: { text: string; look: Look; isWide: boolean; isCursor: boolean }[] = [];
  const { characters, looks } = line;
  const end = Math.max(lastShown(line), cursor ?? -1);
  for (let column = 0; column <= end; column++) {
    const text = characters[column] ?? " ";
    const look = looks[column] ?? plainLook;
    if (text === "") continue;
    const isWide = characters[column + 1] === "";
    const isCursor = column === cursor;
    const last = runs.at(-1);
    const isSame = last?.look === look && !last.isWide && !last.isCursor && !isWide && !isCursor;
    if (last && isSame) last.text += text;
    else runs.push({ text, look, isWide, isCursor });
  }
  return runs;
}

/** The last column that is not empty; -1 if all are. */
function lastShown({ characters, looks }: TerminalLine): number {
  return characters.findLastIndex((character, column) => {
    const look = looks[column] ?? plainLook;
    return character !== " " || look.background !== undefined || look.isInverse;
  });
}
