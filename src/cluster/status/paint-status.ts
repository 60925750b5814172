import type { Paint, Style } from "../base/paint.ts";

/** Words of a status that are coloured, and their colours. */
const words: readonly (readonly [RegExp, Style])[] = [
  [/\b(NOT healthy|NotReady|STOPPED|EXPIRED|does not answer)\b/g, "bad"],
  [/(?<!NOT )\bhealthy$|\bReady\b/g, "good"],
];

/** Colours a formatted status: its first line as a heading, and the words for health. */
export function paintStatus(text: string, paint: Paint): string {
  const [first = "", ...rest] = text.split("\n");
  const [, heading = first, note = ""] =
    /^(.*?\S)( +(?:NOT healthy|healthy|[\d.]+ s))$/.exec(first) ?? [];
  const lines = [note, ...rest].map((line) => paintWords(line, paint));
  return paint("heading", heading) + lines.join("\n");
}

const paintWords = (text: string, paint: Paint): string =>
  words.reduce(
    (done, [pattern, style]) => done.replaceAll(pattern, (word) => paint(style, word)),
    text,
  );
