import type { TerminalModes } from "./terminal-modes.ts";
import { type TerminalScreen, within } from "./terminal-screen.ts";

/** Changes a screen as a control sequence says. A number that is left out, or 0, is 1 where it counts something. */
type ScreenCommand = (
  screen: TerminalScreen,
  numbers: readonly number[],
  modes: TerminalModes,
) => void;

const count = (numbers: readonly number[]): number => numbers[0] || 1;

/** Moves up or down; a region that scrolls is not left. */
function moveRows(screen: TerminalScreen, by: number): void {
  const { row, column, top, bottom, rows } = screen;
  const least = row >= top ? top : 0;
  const most = row <= bottom ? bottom : rows - 1;
  screen.moveTo(within(row + by, least, most), column);
}

function moveAbsolutely(
  screen: TerminalScreen,
  { row, column }: { readonly row: number; readonly column: number },
  { isRelative }: TerminalModes,
): void {
  const to = isRelative ? Math.min(row + screen.top, screen.bottom) : row;
  screen.moveTo(to, column);
}

const moveToPlace: ScreenCommand = (screen, numbers, modes) =>
  moveAbsolutely(screen, { row: count(numbers) - 1, column: (numbers[1] || 1) - 1 }, modes);

const moveToColumn: ScreenCommand = (screen, numbers) =>
  screen.moveTo(screen.row, count(numbers) - 1);

const moveRight: ScreenCommand = (screen, numbers) =>
  screen.moveTo(screen.row, screen.column + count(numbers));

const moveDown: ScreenCommand = (screen, numbers) => moveRows(screen, count(numbers));

/** The commands by the letter with which they end. */
export const screenCommands: Readonly<Record<string, ScreenCommand>> = {
  A: (screen, numbers) => moveRows(screen, -count(numbers)),
  B: moveDown,
  e: moveDown,
  C: moveRight,
  a: moveRight,
  D: (screen, numbers) => screen.moveTo(screen.row, screen.column - count(numbers)),
  E(screen, numbers) {
    moveRows(screen, count(numbers));
    screen.column = 0;
  },
  F(screen, numbers) {
    moveRows(screen, -count(numbers));
    screen.column = 0;
  },
  G: moveToColumn,
  "`": moveToColumn,
  H: moveToPlace,
  f: moveToPlace,
  d: (screen, numbers, modes) =>
    moveAbsolutely(screen, { row: count(numbers) - 1, column: screen.column }, modes),
  J(screen, [what = 0]) {
    const { row, column, rows, columns, blank, line } = screen;
    if (what === 3) {
      screen.history.length = 0;
      return;
    }
    if (what === 0) line.erase(column, columns, blank);
    if (what === 1) line.erase(0, column + 1, blank);
    screen.eraseRows(what === 0 ? row + 1 : 0, what === 1 ? row : rows);
  },
  K({ line, column, columns, blank }, [what = 0]) {
    line.erase(what === 0 ? column : 0, what === 1 ? column + 1 : columns, blank);
  },
  X: ({ line, column, columns, blank }, numbers) =>
    line.erase(column, Math.min(columns, column + count(numbers)), blank),
  "@": ({ line, column, blank }, numbers) => line.insert(column, count(numbers), blank),
  P: ({ line, column, blank }, numbers) => line.remove(column, count(numbers), blank),
  L: (screen, numbers) => screen.insertLines(count(numbers)),
  M: (screen, numbers) => screen.removeLines(count(numbers)),
  S: (screen, numbers) => screen.scrollUp(count(numbers)),
  T: (screen, numbers) => screen.scrollDown(count(numbers)),
  r(screen, [top = 1, bottom = screen.rows], { isRelative }) {
    const first = within((top || 1) - 1, 0, screen.rows - 1);
    const last = within((bottom || screen.rows) - 1, 0, screen.rows - 1);
    if (first >= last) return;
    screen.top = first;
    screen.bottom = last;
    screen.moveTo(isRelative ? first : 0, 0);
  },
};
