import type { NodeInfo } from "../cache/node-info.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { Rejection } from "./rejection.ts";

/** Why a pod fits on no node. */
export interface Diagnosis {
  readonly allNodes: number;
  /** By node name. */
  readonly rejections: Map<string, Rejection>;
  /** For nodes that are not in the map because they were not filtered. */
  absent: Rejection | undefined;
  readonly unschedulablePlugins: Set<string>;
  readonly pendingPlugins: Set<string>;
  /** Why the pod was rejected before any node was filtered. */
  preFilterMessage: string;
  postFilterMessage: string;
}

export function newDiagnosis(allNodes: number): Diagnosis {
  return {
    allNodes,
    rejections: new Map(),
    absent: undefined,
    unschedulablePlugins: new Set(),
    pendingPlugins: new Set(),
    preFilterMessage: "",
    postFilterMessage: "",
  };
}

/** A pod fits on no node; users see the message in events and conditions. */
export class FitError extends Error {
  override readonly name = "FitError";
  readonly diagnosis: Diagnosis;

  constructor(diagnosis: Diagnosis) {
    super(fitErrorText(diagnosis));
    this.diagnosis = diagnosis;
  }
}

/** The cluster has no nodes. */
export class NoNodesError extends Error {
  override readonly name = "NoNodesError";
  constructor() {
    super("no nodes available to schedule pods");
  }
}

/** Records the plugin that rejected the pod. */
export function notePlugin(diagnosis: Diagnosis, rejection: Rejection): void {
  if (rejection.plugin === "") return;
  if (rejection.pending) diagnosis.pendingPlugins.add(rejection.plugin);
  else diagnosis.unschedulablePlugins.add(rejection.plugin);
}

/**
 * Number of nodes for each reason, sorted.
 *
 * Upstream: pkg/scheduler/framework/types.go.
 */
export function fitErrorText(diagnosis: Diagnosis): string {
  const parts = [`0/${diagnosis.allNodes} nodes are available:`];
  const reasons = diagnosis.preFilterMessage || countReasons(diagnosis);
  if (reasons !== "") parts.push(`${reasons}.`);
  if (diagnosis.postFilterMessage !== "") parts.push(diagnosis.postFilterMessage);
  return parts.join(" ");
}

function countReasons({ rejections, absent, allNodes }: Diagnosis): string {
  const counts = new Map<string, number>();
  const add = ({ reasons }: Rejection, times: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const rejection of rejections.values()) add(rejection, 1);
  if (absent !== undefined && rejections.size < allNodes) add(absent, allNodes - rejections.size);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

/** Nodes where preemption may help. */
export function resolvableNodes(diagnosis: Diagnosis, snapshot: Snapshot): NodeInfo[] {
  return snapshot.nodes.filter(({ name }) => {
    return (diagnosis.rejections.get(name) ?? diagnosis.absent)?.resolvable === true;
  });
}
