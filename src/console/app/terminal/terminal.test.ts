import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLook } from "./looks.ts";
import { Terminal } from "./terminal.ts";
import { runsOf } from "./terminal-line.ts";

const esc = "\u001b";

interface Written {
  readonly name: string;
  readonly text: string;
  /** The lines of a screen of 10 columns and 4 rows, without blanks at their ends. */
  readonly lines: readonly string[];
  /** Row and column. */
  readonly cursor?: readonly [number, number];
  readonly replies?: string;
}

const cases: readonly Written[] = [
  { name: "lines", text: "one\r\ntwo", lines: ["one", "two", "", ""], cursor: [1, 3] },
  { name: "a long line", text: "0123456789ab", lines: ["0123456789", "ab", "", ""] },
  {
    name: "a full line that is not left",
    text: "0123456789\rX",
    lines: ["X123456789", "", "", ""],
    cursor: [0, 1],
  },
  { name: "scrolling", text: "1\n2\r\n3\r\n4\r\n5", lines: [" 2", "3", "4", "5"] },
  { name: "back and over", text: "abc\b\bX", lines: ["aXc", "", "", ""] },
  { name: "tabs", text: "a\tb", lines: ["a       b", "", "", ""] },
  { name: "moving", text: `${esc}[3;4Hx${esc}[Ay${esc}[2Dz`, lines: ["", "   zy", "   x", ""] },
  { name: "erasing", text: `abcdef${esc}[3D${esc}[K`, lines: ["abc", "", "", ""] },
  { name: "erasing everything", text: `abc\r\nd${esc}[2J${esc}[Hx`, lines: ["x", "", "", ""] },
  {
    name: "inserting and deleting",
    text: `abcd\r${esc}[2@${esc}[C${esc}[P`,
    lines: [" abcd", "", "", ""],
  },
  {
    name: "a region that scrolls",
    text: `1\r\n2\r\n3\r\n4${esc}[2;3r${esc}[3;1H\nX`,
    lines: ["1", "3", "X", "4"],
  },
  { name: "lines in between", text: `1\r\n2\r\n3${esc}[2;1H${esc}[L`, lines: ["1", "", "2", "3"] },
  { name: "lines removed", text: `1\r\n2\r\n3${esc}[1;1H${esc}[M`, lines: ["2", "3", "", ""] },
  { name: "reverse line feed", text: `a${esc}[H${esc}Mb`, lines: ["b", "a", "", ""] },
  { name: "wide letters", text: "容器x", lines: ["容器x", "", "", ""], cursor: [0, 5] },
  { name: "a wide letter at the end", text: "123456789容", lines: ["123456789", "容", "", ""] },
  { name: "marks", text: "e\u0301x", lines: ["e\u0301x", "", "", ""], cursor: [0, 2] },
  { name: "line drawing", text: `${esc}(0lqk${esc}(Bq`, lines: ["┌─┐q", "", "", ""] },
  { name: "the other screen", text: `a${esc}[?1049hb${esc}[?1049lc`, lines: ["ac", "", "", ""] },
  { name: "saved cursor", text: `ab${esc}7cd${esc}8X`, lines: ["abXd", "", "", ""] },
  {
    name: "a title and a link",
    text: `${esc}]0;t${esc}\\a${esc}]8;;x\u0007b`,
    lines: ["ab", "", "", ""],
  },
  {
    name: "unknown sequences",
    text: `${esc}[?9999h${esc}[1;2;3x${esc}P1q~~${esc}\\a`,
    lines: ["a", "", "", ""],
  },
  { name: "a position", text: `ab${esc}[6n`, lines: ["ab", "", "", ""], replies: `${esc}[1;3R` },
  {
    name: "huge numbers",
    text: `${esc}[99999999B${esc}[99999999Cx${esc}[99999L`,
    lines: ["", "", "", ""],
  },
  { name: "repeating", text: `-${esc}[3b`, lines: ["----", "", "", ""] },
];

for (const { name, text, lines, cursor, replies } of cases) {
  test(`Terminal shows ${name}, in one piece and letter by letter`, () => {
    for (const pieces of [[text], [...text]]) {
      let replied = "";
      const terminal = new Terminal({ columns: 10, rows: 4 }, (reply) => {
        replied += reply;
      });
      for (const piece of pieces) terminal.write(piece);
      const { screen } = terminal;
      assert.deepEqual(
        screen.lines.map((line) => line.text),
        lines,
      );
      if (cursor) assert.deepEqual([screen.row, screen.column], cursor);
      assert.equal(replied, replies ?? "");
    }
  });
}

test("Terminal keeps what scrolls away, and loses nothing when its size changes", () => {
  const terminal = new Terminal({ columns: 10, rows: 4 }, () => undefined);
  terminal.write("1\r\n2\r\n3\r\n4\r\n5\r\n");
  terminal.resize(20, 2);
  assert.deepEqual(
    terminal.lines.map((line) => line.text),
    ["1", "2", "3", "4", "5", ""],
  );
  terminal.resize(5, 6);
  terminal.write("6");
  assert.deepEqual(
    terminal.lines.map((line) => line.text),
    ["1", "2", "3", "4", "5", "6", "", "", "", ""],
  );
});

test("runsOf() joins letters of one look, and has the cursor apart", () => {
  const terminal = new Terminal({ columns: 20, rows: 1 }, () => undefined);
  terminal.write(`ab${esc}[1;31mcd${esc}[38;2;1;2;3mé${esc}[48;5;200mf${esc}[0m容 `);
  const runs = runsOf(terminal.screen.line, 1).map(({ text, look, isWide, isCursor }) => [
    text,
    look.foreground,
    look.background,
    look.isBold,
    isWide,
    isCursor,
  ]);
  assert.deepEqual(runs, [
    ["a", undefined, undefined, false, false, false],
    ["b", undefined, undefined, false, false, true],
    ["cd", 1, undefined, true, false, false],
    ["é", "#010203", undefined, true, false, false],
    ["f", "#010203", 200, true, false, false],
    ["容", undefined, undefined, false, true, false],
  ]);
  assert.equal(terminal.screen.look, plainLook);
});
