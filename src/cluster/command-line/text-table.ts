import { plainLine } from "#/std/text/plain-text.ts";
import { type Paint, paintFor } from "../base/paint.ts";

/** Rows as text for standard output, the first as a heading; each column is as wide as its widest cell. */
export function textTable(
  rows: readonly (readonly string[])[],
  paint: Paint = paintFor(process.stdout),
): string {
  const plain = rows.map((row) => row.map(plainLine));
  const widths = (plain[0] ?? []).map((_, column) =>
    plain.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return plain
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .map((line, index) => `${index === 0 ? paint("heading", line) : line}\n`)
    .join("");
}
