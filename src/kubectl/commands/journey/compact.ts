import { type Analysis, analyse, type Gap, type LayerPart } from "#/machinery/journey/analyse.ts";
import { describeStep } from "#/machinery/journey/describe-step.ts";
import { duration } from "#/machinery/journey/format-duration.ts";
import { heldUp, isDeleted } from "#/machinery/journey/held-up.ts";
import { type Journey, layers, type Outcome, type Step } from "#/machinery/journey/step.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import { appSpanLines } from "./app-spans.ts";

export const marks: Readonly<Record<Outcome, string>> = {
  ok: "✔",
  waiting: "…",
  failed: "✘",
  retried: "↻",
};

/** Limit of the descriptions of a layer that are shown on its line (count). */
const maxDescribed = 3;

/** A journey in a line per layer. Pure. */
export function compactText(journey: Journey): string {
  const analysis = analyse(journey);
  if (!analysis) return `${heading(journey, undefined)}\n\nNo step is known.\n`;
  const width = Math.max(...layers.map((layer) => layer.length));
  const lines = layers.map((layer) => {
    const part = analysis.layers.find((candidate) => candidate.layer === layer);
    if (!part) return `  ${layer.padEnd(width)}  ${"–".padStart(10)}`;
    return `${marks[part.outcome]} ${layer.padEnd(width)}  ${partText(part, analysis)}`.trimEnd();
  });
  const spans = appSpanLines(journey, analysis.startMs);
  const after = [...heldUpLines(journey), ...notes(journey, analysis), ...spans];
  return [heading(journey, analysis), "", ...lines, ...after, ""].join("\n");
}

function partText(part: LayerPart, { startMs }: Analysis): string {
  const begun = `+${duration(part.fromMs - startMs)}`.padStart(10);
  return `${begun}  ${duration(part.busyMs).padStart(9)}  ${describePart(part)}`;
}

/** The steps worth a word: what failed or waits first. */
function describePart({ steps }: LayerPart): string {
  const ranked = [
    ...steps.filter(({ outcome }) => outcome === "failed" || outcome === "waiting").slice(-2),
    ...steps.filter(({ outcome }) => outcome === "ok" || outcome === "retried"),
  ];
  const texts = new Set(ranked.map(stepText).filter((text) => text !== ""));
  const shown = [...texts].slice(0, maxDescribed);
  const more = texts.size - shown.length;
  return escapeTerminal(shown.join("; ")) + (more > 0 ? `; ${more} more` : "");
}

const quiet: ReadonlySet<string> = new Set([
  "request",
  "authenticate",
  "authorize",
  "mutate",
  "validate",
]);

/** A step's name and description; gates are named by their layer. */
function stepText(step: Step): string {
  const said = describeStep(step);
  if (quiet.has(step.name)) return said;
  return said === "" ? step.name : `${step.name} ${said}`;
}

/** The object, and what became of it. */
export function heading({ of, steps }: Journey, analysis: Analysis | undefined): string {
  const place = of.namespace === undefined ? "" : `${of.namespace}/`;
  const name = `${of.resource} ${place}${of.name}`;
  if (!analysis) return name;
  const { readyMs, startMs, endMs, explained, skews, setBack } = analysis;
  const percent = `${Math.floor(explained * 1000) / 10} % explained`;
  const end = isDeleted({ steps }) ? ", deleted" : "";
  const clocks = skews.length + setBack.length > 0 ? " by clocks that differ" : "";
  if (readyMs !== undefined) {
    return `${name}: ready after ${duration(readyMs - startMs)}${clocks}, ${percent}${end}`;
  }
  return `${name}: ${duration(endMs - startMs)}${end === "" ? " so far" : end}, ${percent}`;
}

/** Where it is held up, and since when. */
function heldUpLines(journey: Journey): string[] {
  const held = heldUp(journey);
  return held ? ["", escapeTerminal(`at ${held.layer} since ${held.since}: ${held.sentence}`)] : [];
}

/** What the table does not show: gaps, clocks, dropped steps. */
export function notes({ dropped = 0 }: Journey, analysis: Analysis): string[] {
  const { gaps, skews, setBack, startMs } = analysis;
  const lines = [
    ...gaps.map((gap) => gapText(gap, startMs)),
    ...skews.map(({ by, ms }) =>
      escapeTerminal(
        `clock of ${by}: at least ${duration(Math.abs(ms))} ${ms > 0 ? "ahead" : "behind"}`,
      ),
    ),
    ...setBack.map((by) => escapeTerminal(`clock of ${by}: set back during a step`)),
    ...(dropped > 0 ? [`${dropped} steps were dropped by a limit`] : []),
  ];
  return lines.length === 0 ? [] : ["", ...lines];
}

function gapText({ fromMs, toMs, after, before }: Gap, startMs: number): string {
  const between = `between ${after.layer} (${after.name}) and ${before.layer} (${before.name})`;
  const text = `gap of ${duration(toMs - fromMs)} at +${duration(fromMs - startMs)}`;
  return escapeTerminal(`${text}, ${between}: nothing is reported`);
}
