import { analyse } from "#/machinery/journey/analyse.ts";
import { duration } from "#/machinery/journey/format-duration.ts";
import { compareSteps, type Journey, layers, type Step } from "#/machinery/journey/step.ts";
import { lengthText, endMs as stepEndMs } from "#/machinery/journey/step-length.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import { appSpanLines } from "./app-spans.ts";
import { heading, notes } from "./compact.ts";

/** Width where the output is no terminal, and the least one (characters). */
const usualWidth = 100;
const leastWidth = 60;
/** Limit of the names of rows (characters). */
const maxName = 28;
/** Limit of rows (count): the longest steps are shown. */
const maxRows = 60;

const bars: Readonly<Record<Step["outcome"], string>> = {
  ok: "█",
  waiting: "░",
  failed: "▓",
  retried: "▒",
};

/** A journey as bars over time, one row per step. Pure. */
export function timelineText(journey: Journey, columns: number): string {
  const analysis = analyse(journey);
  if (!analysis) return `${heading(journey, undefined)}\n\nNo step is known.\n`;
  const width = columns > 0 ? Math.max(leastWidth, columns) : usualWidth;
  const rows = chooseRows(journey.steps);
  const names = rows.map((step) => escapeTerminal(`${step.layer}  ${step.name}`));
  const nameWidth = Math.min(maxName, Math.max(...names.map((name) => name.length)));
  const scale: Scale = {
    startMs: analysis.startMs,
    endMs: Math.max(...rows.map(stepEndMs), analysis.endMs),
    width: width - nameWidth - 12,
  };
  const lines = rows.map((step, index) => {
    const name = (names[index] ?? "").slice(0, nameWidth).padEnd(nameWidth);
    return `${name} ${bar(step, scale)} ${lengthText(step).padStart(9)}`;
  });
  const hidden = journey.steps.length - rows.length;
  return [
    heading(journey, analysis),
    "",
    `${" ".repeat(nameWidth)} ${ruler(scale)}`,
    ...lines,
    ...(hidden > 0 ? [`${hidden} shorter steps are not shown; --full shows them`] : []),
    ...notes(journey, analysis),
    ...appSpanLines(journey, analysis.startMs),
    "",
  ].join("\n");
}

interface Scale {
  readonly startMs: number;
  readonly endMs: number;
  /** Characters. */
  readonly width: number;
}

/** The steps of a timeline in the order of layers; of too many, the longest. */
function chooseRows(steps: readonly Step[]): readonly Step[] {
  const order = new Map(layers.map((layer, index) => [layer, index]));
  const chosen = steps.toSorted((a, b) => msOf(b) - msOf(a)).slice(0, maxRows);
  return chosen.sort((a, b) => {
    const byLayer = (order.get(a.layer) ?? 0) - (order.get(b.layer) ?? 0);
    return byLayer === 0 ? compareSteps(a, b) : byLayer;
  });
}

const msOf = (step: Step): number => stepEndMs(step) - parseMicroTime(step.from);

function bar({ from, to, outcome }: Step, { startMs, endMs, width }: Scale): string {
  const total = Math.max(endMs - startMs, 0.001);
  const place = (time: string): number => ((parseMicroTime(time) - startMs) / total) * width;
  const first = Math.min(width - 1, Math.max(0, Math.floor(place(from))));
  // A step that lasts fills the rest.
  const last = to === undefined ? width : Math.max(first + 1, Math.round(place(to)));
  const length = Math.max(1, Math.min(width, last) - first);
  return " ".repeat(first) + bars[outcome].repeat(length) + " ".repeat(width - first - length);
}

/** The times at the start, the middle and the end. */
function ruler({ startMs, endMs, width }: Scale): string {
  const total = endMs - startMs;
  const texts = ["0", duration(total / 2), duration(total)];
  const [start = "", middle = "", end = ""] = texts;
  const half = Math.floor(width / 2);
  return `${start.padEnd(half)}${middle.padEnd(width - half - end.length)}${end}`;
}
