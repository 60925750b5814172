import { humanDuration } from "#/machinery/time/human-duration.ts";
import { wrapWords } from "#/std/text/wrap-words.ts";
import { nameOf } from "./base/any-object.ts";
import type { Diagnosis, Finding, Unread } from "./base/finding.ts";

type Style = "good" | "bad" | "heading" | "dim";
export type Paint = (style: Style, text: string) => string;

interface FormatOptions {
  /** Width of the terminal (columns). */
  readonly columns: number;
  readonly nowMs: number;
  readonly paint?: Paint;
}

const plain: Paint = (_style, text) => text;

/** Limit of the further causes that are named (count). */
const maxOthers = 5;

/** A diagnosis as text: the sentence, what shows it, what would put it right, and the rest. */
export function formatDiagnosis(diagnosis: Diagnosis, options: FormatOptions): string {
  const { state, sentence, findings, context, unread } = diagnosis;
  const { paint = plain } = options;
  const [first, ...others] = findings;
  const parts = [
    [paint(state === "healthy" ? "good" : state === "stuck" ? "bad" : "heading", sentence)],
    first ? mainLines(first, options) : [],
    block("Also:", [...others, ...context].slice(0, maxOthers).map(otherLine), options),
    block("Not visible to you:", unread.map(unreadLine), options),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function mainLines(finding: Finding, options: FormatOptions): string[] {
  const { paint = plain, nowMs } = options;
  const { cause, certainty, since, evidence, fix, docs } = finding;
  const age = since ? `, since ${humanDuration(Math.max(0, nowMs - Date.parse(since)))}` : "";
  const summary = paint("dim", `${cause} (${certainty}${age})`);
  const fixes = fix.map((line) => `  ${line}`);
  return [
    `  ${summary}`,
    ...(evidence.length > 0
      ? ["", paint("heading", "Evidence:"), ...wrapped(evidence, options)]
      : []),
    ...(fixes.length > 0 ? ["", paint("heading", "To fix it:"), ...fixes] : []),
    ...(docs ? ["", `More: ${docs}`] : []),
  ];
}

const otherLine = ({ about, layer, sentence, certainty }: Finding): string =>
  `${nameOf(about)}, ${layer}${certainty === "likely" ? " (likely)" : ""}: ${sentence}`;

const unreadLine = ({ what, message }: Unread): string => `${what}: ${message}`;

function block(title: string, lines: readonly string[], options: FormatOptions): string[] {
  if (lines.length === 0) return [];
  const { paint = plain } = options;
  return [paint("heading", title), ...wrapped(lines, options)];
}

/** Lines with an indent, each broken at words. Lines of a log are not broken. */
const wrapped = (lines: readonly string[], { columns }: FormatOptions): string[] =>
  lines.flatMap((line) =>
    line.startsWith("  |")
      ? [`  ${line}`]
      : wrapWords(line, columns - 4)
          .split("\n")
          .map((part, index) => `${index === 0 ? "  " : "    "}${part}`),
  );
