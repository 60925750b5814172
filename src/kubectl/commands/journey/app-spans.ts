import type { AppSpan } from "#/machinery/journey/app-span.ts";
import type { Journey } from "#/machinery/journey/step.ts";
import { lengthText, offsetText } from "#/machinery/journey/step-length.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";

/** Limit of the spans that a short view shows (count): the newest ones. */
const maxShown = 5;

/** What the application in a Pod has reported: the newest spans, or (`whole`) all with their attributes. Pure. */
export function appSpanLines({ spans = [] }: Journey, startMs: number, whole = false): string[] {
  if (spans.length === 0) return [];
  const shown = whole ? spans : spans.slice(-maxShown);
  const failed = spans.filter(({ status }) => status === "error").length;
  const services = [...new Set(spans.map(({ service }) => service || "unnamed"))].join(", ");
  const head = `application: ${spans.length} spans of ${services}, ${failed} failed`;
  return ["", escapeTerminal(head), ...shown.flatMap((span) => spanLines(span, startMs, whole))];
}

function spanLines(span: AppSpan, startMs: number, whole: boolean): string[] {
  const { name, kind, from, to, status, attributes, traceId } = span;
  const fromMs = parseMicroTime(from);
  const begun = offsetText(fromMs - startMs).padStart(10);
  const took = lengthText({ from, to }).padStart(9);
  const mark = status === "error" ? "✘" : "✔";
  const line = escapeTerminal(`${begun} ${took} ${mark} ${name} (${kind})`);
  if (!whole) return [line];
  const facts = Object.entries({ trace: traceId, ...attributes });
  return [
    line,
    ...facts.map(([key, value]) => escapeTerminal(`${" ".repeat(23)}${key}: ${value}`)),
  ];
}
