/** Upstream: pkg/controller/daemon/daemon_controller.go (podsShouldBeOnNode). */
import type { DaemonSet } from "#/api/apps/v1.ts";
import type { Node, Pod } from "#/api/core/v1.ts";
import { scaledValue } from "#/machinery/values/int-or-string.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import { revisionLabel } from "../revisions/revisions.ts";
import { nodeFitOf } from "./node-fit.ts";

/** A set, the nodes and its Pods on them. */
export interface Daemons {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** Hash of the newest revision. */
  readonly hash: string;
  readonly nowMs: number;
}

/** Nodes that get a Pod, and Pods to delete. */
export interface DaemonPlan {
  readonly create: string[];
  readonly remove: Pod[];
}

/** Whether a failed Pod on a node may be replaced now. */
type MayReplace = (node: string) => boolean;

/** One Pod on each selected node, none elsewhere; temporarily two on a node during a surge. */
export function planPods(daemons: Daemons, mayReplace: MayReplace): DaemonPlan {
  const { set, nodes, podsByNode } = daemons;
  const plan: DaemonPlan = { create: [], remove: [] };
  const fitOf = nodeFitOf(set);
  for (const node of nodes) {
    const name = node.metadata.name ?? "";
    const there = podsByNode.get(name);
    const { runs, keeps } = fitOf(node);
    if (runs && !there) plan.create.push(name);
    else if (!keeps) plan.remove.push(...(there ?? []).filter(isStaying));
    else keepOne(daemons, { node: name, runs, there: there ?? [] }, plan, mayReplace);
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const [node, pods] of podsByNode) {
    if (!known.has(node)) plan.remove.push(...pods.filter(({ spec }) => !spec?.nodeName));
  }
  return plan;
}

const isStaying = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

function keepOne(
  daemons: Daemons,
  { node, runs, there }: { node: string; runs: boolean; there: readonly Pod[] },
  plan: DaemonPlan,
  mayReplace: MayReplace,
): void {
  const running: Pod[] = [];
  for (const pod of there.filter(isStaying)) {
    const phase = pod.status?.phase;
    if (phase === "Succeeded" || (phase === "Failed" && mayReplace(node))) {
      plan.remove.push(pod);
    } else if (phase !== "Failed") running.push(pod);
  }
  running.sort(byPlacementAndAge);
  if (surgeOf(daemons.set, 1) === 0) plan.remove.push(...running.slice(1));
  else if (running.length === 0 && runs) plan.create.push(node);
  else if (running.length > 1) plan.remove.push(...beyondSurge(daemons, running));
}

/**
 * Surplus Pods on a node: all but the oldest of each revision, and the old one when the new one is
 * available.
 */
function beyondSurge({ set, hash, nowMs }: Daemons, running: readonly Pod[]): Pod[] {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[revisionLabel] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const excess = running.filter((pod) => pod !== newest && pod !== old);
  if (!newest || !old) return excess;
  const takesOver = isAvailable(newest, set.spec.minReadySeconds ?? 0, nowMs);
  return !isReady(old) || takesOver ? [...excess, old] : excess;
}

/** Bound pods first, then older ones. */
export function byPlacementAndAge(a: Pod, b: Pod): number {
  const bound = Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName);
  if (bound !== 0) return bound;
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

/** maxSurge of a rollout, as a number of Pods. */
export function surgeOf({ spec }: DaemonSet, total: number): number {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type === "OnDelete") return 0;
  return scaledValue(rollingUpdate?.maxSurge ?? 0, { total, roundUp: true });
}

/** maxUnavailable of a rollout, as a number of nodes. */
export function unavailableOf({ spec }: DaemonSet, total: number): number {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type === "OnDelete") return 0;
  return scaledValue(rollingUpdate?.maxUnavailable ?? 1, { total, roundUp: true });
}
