import { analyse } from "#/machinery/journey/analyse.ts";
import { describeStep } from "#/machinery/journey/describe-step.ts";
import type { Journey, Step } from "#/machinery/journey/step.ts";
import { lengthText, offsetText } from "#/machinery/journey/step-length.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import { appSpanLines } from "./app-spans.ts";
import { heading, marks, notes } from "./compact.ts";

/** A journey with every step and its facts. Pure. */
export function fullText(journey: Journey): string {
  const analysis = analyse(journey);
  if (!analysis) return `${heading(journey, undefined)}\n\nNo step is known.\n`;
  const { startMs } = analysis;
  const lines = journey.steps.flatMap((step) => [stepLine(step, startMs), ...factLines(step)]);
  const spans = appSpanLines(journey, startMs, true);
  const after = [...notes(journey, analysis), ...spans];
  return [heading(journey, analysis), "", ...lines, ...after, ""].join("\n");
}

/** A step on one line, with its time since the start. */
export function stepLine(step: Step, startMs: number): string {
  const { layer, name, from, outcome, by } = step;
  const begun = offsetText(parseMicroTime(from) - startMs).padStart(10);
  const what = [`${layer}: ${name}`, describeStep(step)].filter((text) => text !== "").join("  ");
  const source = by === undefined ? "" : `  [${by}]`;
  return escapeTerminal(
    `${begun} ${lengthText(step).padStart(9)} ${marks[outcome]} ${what}${source}`,
  );
}

function factLines({ facts = {}, revision }: Step): string[] {
  const all = { ...(revision === undefined ? {} : { revision }), ...facts };
  return Object.entries(all).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return escapeTerminal(`${" ".repeat(23)}${name}: ${text}`);
  });
}
