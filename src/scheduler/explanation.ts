import { LruMap } from "#/std/memory/lru-map.ts";
import { podKey } from "./cache/pod-info.ts";
import {
  explainRejections,
  explainScores,
  type NodeScore,
  type RejectedNodes,
} from "./explain-nodes.ts";
import type { Diagnosis } from "./framework/fit-error.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import type { ScoreTable } from "./framework/score-run.ts";

/** The result of the last attempt for a pod: why it was placed on its node, or on none. */
export interface Explanation {
  readonly pod: string;
  readonly uid: string;
  readonly attempt: number;
  readonly timeMs: number;
  readonly result: "scheduled" | "unschedulable" | "error";
  readonly node?: string | undefined;
  readonly message: string;
  /** Nodes that were looked at, and those of them that fit; undefined if there was no node. */
  readonly nodes?: number | undefined;
  readonly feasible?: number | undefined;
  readonly rejected: readonly RejectedNodes[];
  /** Best first; all nodes of a small cluster. */
  readonly scores: readonly NodeScore[];
}

/** Limit of explanations (count): memory. */
const maxExplanations = 2_000;

/** The latest explanations; the one that was longest not used is dropped first. */
export class Explanations {
  readonly #byPod = new LruMap<string, Explanation>(maxExplanations);

  /** By "namespace/name". */
  get(pod: string): Explanation | undefined {
    return this.#byPod.get(pod);
  }

  set(explanation: Explanation): void {
    this.#byPod.set(explanation.pod, explanation);
  }
}

/** The result of an attempt. */
interface Outcome {
  readonly result: Explanation["result"];
  readonly message: string;
  readonly timeMs: number;
  readonly node?: string;
  readonly diagnosis?: Diagnosis | undefined;
  readonly table?: ScoreTable | undefined;
  readonly feasibleNodes?: number;
}

/** Explains an attempt to place a pod. */
export function explainAttempt({ info, attempts }: QueuedPod, outcome: Outcome): Explanation {
  const { result, message, timeMs, node, diagnosis, table, feasibleNodes = 0 } = outcome;
  return {
    pod: podKey(info.pod),
    uid: info.uid,
    attempt: attempts,
    timeMs,
    result,
    node,
    message,
    ...(diagnosis
      ? { nodes: feasibleNodes + diagnosis.rejections.size, feasible: feasibleNodes }
      : {}),
    rejected: diagnosis ? explainRejections(diagnosis) : [],
    scores: explainScores(table),
  };
}
