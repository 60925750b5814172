import type { Column, Row } from "./table.ts";
import { type Tone, toneOf } from "./tone.ts";

/** A Pod that does not run as it should, as its row in the list says. */
export interface Trouble {
  readonly id: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly status: string;
  readonly tone: Tone;
  readonly createdMs: number;
}

/** How long a Pod may take to start before it counts (ms): most start sooner. */
const patienceMs = 30_000;

/** The Pods of a Table that are in trouble, the newest first. */
export function troublesOf(
  columns: readonly Column[],
  rows: readonly Row[],
  nowMs: number,
): Trouble[] {
  const column = (name: string): number => columns.findIndex((one) => one.name === name);
  const [status, ready] = [column("Status"), column("Ready")];
  return rows
    .flatMap((row): Trouble[] => {
      const text = row.cells[status] ?? "";
      const { id, namespace, name, createdMs } = row;
      const trouble = (shown: string, tone: Tone): Trouble[] => [
        { id, namespace, name, status: shown, tone, createdMs },
      ];
      const tone = toneOf(text);
      if (tone === "bad") return trouble(text, "bad");
      if (nowMs - createdMs < patienceMs) return [];
      if (tone === "busy") return trouble(text, "busy");
      const [now, wanted] = (row.cells[ready] ?? "").split("/");
      return text === "Running" && now !== wanted ? trouble(`Ready ${now}/${wanted}`, "busy") : [];
    })
    .sort((a, b) => b.createdMs - a.createdMs);
}

/** How many Pods each node has, by name. */
export function podsByNode(columns: readonly Column[], rows: readonly Row[]): Map<string, number> {
  const column = columns.findIndex(({ name }) => name === "Node");
  const counts = new Map<string, number>();
  for (const { cells } of rows) {
    const node = cells[column] ?? "";
    if (node && node !== "<none>") counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}
