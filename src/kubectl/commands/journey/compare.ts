import { type Analysis, analyse } from "#/machinery/journey/analyse.ts";
import { duration } from "#/machinery/journey/format-duration.ts";
import { type Journey, layers } from "#/machinery/journey/step.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";

/** Two journeys beside each other: the time in each layer, and which differs most. Pure. */
export function compareText(first: Journey, second: Journey): string {
  const [a, b] = [analyse(first), analyse(second)];
  if (!a || !b) return "No step is known of one of them.\n";
  const rows = layers.map((layer) => ({
    name: layer as string,
    a: busyMs(a, layer),
    b: busyMs(b, layer),
  }));
  const most = rows.reduce((left, right) => (difference(right) > difference(left) ? right : left));
  const total = { name: "in all", a: a.endMs - a.startMs, b: b.endMs - b.startMs };
  const explained = { name: "unexplained", a: unexplainedMs(a), b: unexplainedMs(b) };
  const names = [first.of.name, second.of.name].map((name) => escapeTerminal(name));
  const width = Math.max(12, ...names.map((name) => name.length));
  const cell = (ms: number | undefined) => (ms === undefined ? "–" : duration(ms)).padStart(width);
  const line = (row: { name: string; a: number | undefined; b: number | undefined }) =>
    `${row === most && difference(row) > 0 ? "*" : " "} ${row.name.padEnd(14)}  ${cell(row.a)}  ${cell(row.b)}  ${changeText(row)}`.trimEnd();
  const head = `  ${"".padEnd(14)}  ${names.map((name) => name.padStart(width)).join("  ")}`;
  return [head, ...rows.map(line), line(explained), line(total), ""].join("\n");
}

interface Pair {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

const busyMs = ({ layers: parts }: Analysis, layer: string): number | undefined =>
  parts.find((part) => part.layer === layer)?.busyMs;

const unexplainedMs = ({ startMs, endMs, explained }: Analysis): number =>
  (endMs - startMs) * (1 - explained);

const difference = ({ a = 0, b = 0 }: Pair): number => Math.abs(a - b);

function changeText({ a = 0, b = 0 }: Pair): string {
  const change = b - a;
  return `${change < 0 ? "-" : "+"}${duration(Math.abs(change))}`;
}
