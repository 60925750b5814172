import type { Pod } from "#/api/core/v1.ts";
import type { NodeInfo } from "../cache/node-info.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Interest } from "./cluster-event.ts";
import type { Cycle } from "./cycle.ts";
import type { Diagnosis } from "./fit-error.ts";
import type { QueuedPod } from "./queued-pod.ts";
import type { Rejection } from "./rejection.ts";

/** Limit of the score of a node by one plugin. */
export const maxNodeScore = 100;

/** The filter of one plugin for one pod in one cycle: PreFilter creates it, Filter calls it for each node. */
export interface NodeFilter {
  check(node: NodeInfo): Rejection | undefined;
  /** The only nodes that can pass; undefined for all. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /**
   * A copy that is updated as pods are added to nodes and removed, for dry runs. Undefined for filters that see other pods
   * only through the node.
   */
  fork?(): ForkedFilter;
}

/** A filter that is notified of pods added to a node and removed from it. */
export interface ForkedFilter extends NodeFilter {
  podAdded(pod: PodInfo, node: NodeInfo): void;
  podRemoved(pod: PodInfo, node: NodeInfo): void;
}

/** The scorer of one plugin for one pod: PreScore creates it, Score calls it for each feasible node. */
export interface NodeScorer {
  score(node: NodeInfo): number;
  /** Brings all scores into 0…100, in place. Undefined if they are in that range already. */
  normalize?(scores: Float64Array, nodes: readonly NodeInfo[]): void;
}

/** The result of PostFilter: the nominated node of the pod, and the message for its event. */
export interface PostFilterResult {
  readonly success: boolean;
  readonly message: string;
  /** "" clears a nomination; undefined keeps it. */
  readonly nominatedNode?: string | undefined;
}

/** A Permit plugin's request to wait before binding; after the timeout the pod is rejected. */
interface PermitWait {
  readonly waitMs: number;
}

/**
 * A scheduler plugin, with upstream's name. Every method is one extension point and optional; `filter` is
 * PreFilter and Filter in one, `score` is PreScore and Score in one.
 *
 * An exception is an internal error: the cycle ends and the pod is retried.
 */
export interface Plugin {
  readonly name: string;
  /** Events that may make a pod schedulable that this plugin rejected; every event if undefined. */
  readonly requeueOn?: readonly Interest[];
  /** PreEnqueue: a rejection keeps a pod out of the active queue. */
  preEnqueue?(pod: Pod): Rejection | undefined;
  /** QueueSort: whether a comes before b. */
  less?(a: QueuedPod, b: QueuedPod): boolean;
  /** Undefined if this plugin accepts every node for the pod (Skip). */
  filter?(cycle: Cycle): NodeFilter | Rejection | undefined;
  /** Called when no node is feasible. */
  postFilter?(cycle: Cycle, diagnosis: Diagnosis): Promise<PostFilterResult>;
  /** Undefined if this plugin has no preference among nodes (Skip). */
  score?(cycle: Cycle, nodes: readonly NodeInfo[]): NodeScorer | undefined;
  reserve?(cycle: Cycle, nodeName: string): Rejection | undefined;
  /** Undoes reserve(), also if reserve() failed or was not called. */
  unreserve?(cycle: Cycle, nodeName: string): void;
  permit?(cycle: Cycle, nodeName: string): Rejection | PermitWait | undefined;
  /** True if preBind() has work to do. */
  needsPreBind?(cycle: Cycle, nodeName: string): boolean;
  preBind?(cycle: Cycle, nodeName: string, signal: AbortSignal): Promise<Rejection | undefined>;
  /** False if this plugin doesn't bind the pod (Skip). */
  bind?(cycle: Cycle, nodeName: string): Promise<boolean>;
  postBind?(cycle: Cycle, nodeName: string): void;
}
