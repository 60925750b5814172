import type { Diagnosis } from "./framework/fit-error.ts";
import type { ScoreTable } from "./framework/score-run.ts";

/** Nodes that one plugin rejected for the same reasons. */
export interface RejectedNodes {
  readonly plugin: string;
  readonly reasons: readonly string[];
  readonly count: number;
  readonly nodes: readonly string[];
}

export interface NodeScore {
  readonly node: string;
  readonly total: number;
  /** Each plugin's score, 0…100, before its weight. */
  readonly plugins: Readonly<Record<string, number>>;
}

/** Limit of nodes (count) listed for one reason: an explanation stays readable. */
const maxNodesPerReason = 200;

/** Limit of nodes (count) with scores: of more, only the best are listed. */
const smallCluster = 50;

const bestNodes = 10;

/** The rejections of a diagnosis, grouped by plugin and reasons. */
export function explainRejections({ rejections }: Diagnosis): RejectedNodes[] {
  const groups = new Map<
    string,
    { -readonly [Key in keyof RejectedNodes]: RejectedNodes[Key] } & { nodes: string[] }
  >();
  for (const [node, { plugin, reasons }] of rejections) {
    const key = `${plugin}\0${reasons.join("\0")}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { plugin, reasons, count: 0, nodes: [] };
      groups.set(key, group);
    }
    group.count++;
    if (group.nodes.length < maxNodesPerReason) group.nodes.push(node);
  }
  return [...groups.values()];
}

/** The scores of a table, best nodes first. */
export function explainScores(table: ScoreTable | undefined): NodeScore[] {
  if (table === undefined) return [];
  const { nodes, rows, totals } = table;
  const wanted = nodes.length <= smallCluster ? nodes.length : bestNodes;
  return highest(totals, wanted).map((index) => ({
    node: nodes[index]?.name ?? "",
    total: totals[index] ?? 0,
    plugins: Object.fromEntries(rows.map(({ plugin, scores }) => [plugin, scores[index] ?? 0])),
  }));
}

/** Indexes of the highest values, the highest first. */
function highest(values: Float64Array, count: number): number[] {
  const best: number[] = [];
  const valueAt = (index: number | undefined): number =>
    index === undefined ? Number.NEGATIVE_INFINITY : (values[index] ?? 0);
  for (let i = 0; i < values.length; i++) {
    if (best.length === count && valueAt(best.at(-1)) >= valueAt(i)) continue;
    let at = best.length;
    while (at > 0 && valueAt(best[at - 1]) < valueAt(i)) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}
