import { podKey } from "./cache/pod-info.ts";
import type { Diagnosis } from "./framework/fit-error.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import type { ScoreTable } from "./framework/score-run.ts";

/** Why a pod went where it went, or nowhere: the last attempt, node by node. */
export interface Explanation {
  readonly pod: string;
  readonly uid: string;
  readonly attempt: number;
  readonly timeMs: number;
  readonly result: "scheduled" | "unschedulable" | "error";
  readonly node?: string | undefined;
  readonly message: string;
  readonly rejected: readonly RejectedNodes[];
  /** Best first; all nodes of a small cluster. */
  readonly scores: readonly NodeScore[];
}

/** Nodes that one plugin refused for the same reasons. */
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

/** So many pods are remembered. */
const maxExplanations = 2_000;
/** So many nodes are named for one reason. */
const maxNodesPerReason = 200;
/** Of so many nodes all scores are kept, else those of the best. */
const smallCluster = 50;
const bestNodes = 10;

/** The last explanations, the oldest dropped first. */
export class Explanations {
  readonly #byPod = new Map<string, Explanation>();

  /** By "namespace/name". */
  get(pod: string): Explanation | undefined {
    return this.#byPod.get(pod);
  }

  set(explanation: Explanation): void {
    this.#byPod.delete(explanation.pod);
    this.#byPod.set(explanation.pod, explanation);
    if (this.#byPod.size <= maxExplanations) return;
    const oldest = this.#byPod.keys().next();
    if (!oldest.done) this.#byPod.delete(oldest.value);
  }
}

/** What came of an attempt. */
export interface Outcome {
  readonly result: Explanation["result"];
  readonly message: string;
  readonly timeMs: number;
  readonly node?: string;
  readonly diagnosis?: Diagnosis | undefined;
  readonly table?: ScoreTable | undefined;
}

/** Explains an attempt to place a pod. */
export function explainAttempt({ info, attempts }: QueuedPod, outcome: Outcome): Explanation {
  const { result, message, timeMs, node, diagnosis, table } = outcome;
  return {
    pod: podKey(info.pod),
    uid: info.uid,
    attempt: attempts,
    timeMs,
    result,
    node,
    message,
    rejected: diagnosis ? explainRejections(diagnosis) : [],
    scores: explainScores(table),
  };
}

/** The refusals of a diagnosis, those alike together. */
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

/** The positions of the highest values, the highest first. */
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
