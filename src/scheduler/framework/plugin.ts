import type { Pod } from "#/api/core/v1.ts";
import type { NodeInfo } from "../cache/node-info.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Interest } from "./cluster-event.ts";
import type { Cycle } from "./cycle.ts";
import type { Diagnosis } from "./fit-error.ts";
import type { QueuedPod } from "./queued-pod.ts";
import type { Rejection } from "./rejection.ts";

/** The best score of a node by one plugin. */
export const maxNodeScore = 100;

/** How one pod looks at nodes in one cycle: PreFilter has made it, Filter calls it for each node. */
export interface NodeFilter {
  check(node: NodeInfo): Rejection | undefined;
  /** No other nodes need be looked at. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /**
   * A copy that follows pods that come to nodes and go, for dry runs. Filters that see other pods through the node alone
   * have none.
   */
  fork?(): ForkedFilter;
}

/** A filter that is told which pods come to a node and which leave it. */
export interface ForkedFilter extends NodeFilter {
  podAdded(pod: PodInfo, node: NodeInfo): void;
  podRemoved(pod: PodInfo, node: NodeInfo): void;
}

/** How one pod likes nodes: PreScore has made it, Score calls it for each node that fits. */
export interface NodeScorer {
  score(node: NodeInfo): number;
  /** Brings all scores into 0…100, in place. Without it they are there already. */
  normalize?(scores: Float64Array, nodes: readonly NodeInfo[]): void;
}

/** What PostFilter achieved: where the pod may go later, and what to tell about it. */
export interface PostFilterResult {
  readonly success: boolean;
  readonly message: string;
  /** "" clears a nomination; undefined leaves it. */
  readonly nominatedNode?: string | undefined;
}

/** A plugin that wants the pod to wait before it is bound; longer than this is no. */
interface PermitWait {
  readonly waitMs: number;
}

/**
 * A part of the scheduler's mind, with upstream's name. Every method is one extension point and optional; `filter` is
 * PreFilter and Filter in one, `score` is PreScore and Score in one.
 *
 * Throwing means that something is broken: the cycle ends and the pod is tried again.
 */
export interface Plugin {
  readonly name: string;
  /** What may make a pod schedulable that this plugin rejected; every event if left out. */
  readonly requeueOn?: readonly Interest[];
  /** Keeps a pod out of the active queue. */
  preEnqueue?(pod: Pod): Rejection | undefined;
  /** QueueSort: whether a comes before b. */
  less?(a: QueuedPod, b: QueuedPod): boolean;
  /** Undefined if the pod fits everywhere as far as this plugin cares (Skip). */
  filter?(cycle: Cycle): NodeFilter | Rejection | undefined;
  /** Called when no node fits. */
  postFilter?(cycle: Cycle, diagnosis: Diagnosis): Promise<PostFilterResult>;
  /** Undefined if all nodes are alike to this plugin (Skip). */
  score?(cycle: Cycle, nodes: readonly NodeInfo[]): NodeScorer | undefined;
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /** Undoes reserve(), also if that was never called or failed. */
  unreserve?(cycle: Cycle, nodeName: string): void;
  permit?(cycle: Cycle, nodeName: string): Rejection | PermitWait | undefined;
  /** Whether preBind() has anything to do. */
  needsPreBind?(cycle: Cycle, nodeName: string): boolean;
  preBind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | undefined>;
  /** False if this plugin doesn't bind the pod (Skip). */
  bind?(cycle: Cycle, nodeName: string): Promise<boolean>;
  postBind?(cycle: Cycle, nodeName: string): void;
}
