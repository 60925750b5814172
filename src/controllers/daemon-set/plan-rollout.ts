/** Upstream: pkg/controller/daemon/update.go (rollingUpdate). */
import type { DaemonSet } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { isAvailable } from "../pods/pod-state.ts";
import { revisionLabel } from "../revisions/revisions.ts";
import { nodeFitOf } from "./node-fit.ts";
import { type DaemonPlan, type Daemons, surgeOf, unavailableOf } from "./plan-pods.ts";

/** A node's old and new Pod of a set; further ones are left to planPods. */
interface Pair {
  readonly node: string;
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
  readonly isExcessive: boolean;
}

/** The next step of a rolling update, within the set's limits. */
export function planRollout(daemons: Daemons): DaemonPlan {
  const { set, nodes, podsByNode } = daemons;
  const fitOf = nodeFitOf(set);
  const desired = nodes
    .filter((node) => fitOf(node).runs)
    .map(({ metadata }) => metadata.name ?? "");
  const surge = surgeOf(set, desired.length);
  const unavailable = unavailableOf(set, desired.length);
  const pairs = [...new Set([...podsByNode.keys(), ...desired])].map((node) =>
    pairOf(daemons, node),
  );
  if (surge > 0) return planSurge(daemons, pairs, { surge, desired: new Set(desired) });
  const limit = desired.length > 0 && unavailable === 0 ? 1 : unavailable;
  return planReplacement(daemons, pairs, limit);
}

const templateGeneration = "deprecated.daemonset.template.generation";

/** Whether a Pod has the newest revision. */
export function isUpdated({ metadata }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = set.metadata.annotations?.[templateGeneration];
  const labels = metadata.labels ?? {};
  const isOfGeneration = generation !== undefined && /^-?\d+$/.test(generation);
  return (
    labels[revisionLabel] === hash ||
    (isOfGeneration && labels["pod-template-generation"] === generation)
  );
}

/** The legacy label of the template generation; none if the set doesn't have it. */
export function generationLabel({ metadata }: DaemonSet): Record<string, string> {
  const generation = metadata.annotations?.[templateGeneration];
  return generation !== undefined && /^-?\d+$/.test(generation)
    ? { "pod-template-generation": generation }
    : {};
}

function pairOf({ set, podsByNode, hash }: Daemons, node: string): Pair {
  const staying = (podsByNode.get(node) ?? []).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const newPods = staying.filter((pod) => isUpdated(pod, set, hash));
  const oldPods = staying.filter((pod) => !newPods.includes(pod));
  return {
    node,
    newPod: newPods[0],
    oldPod: oldPods[0],
    isExcessive: newPods.length > 1 || oldPods.length > 1,
  };
}

const availability =
  ({ set, nowMs }: Daemons) =>
  (pod: Pod): boolean =>
    isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);

/** Deletes unavailable old Pods at once, others within maxUnavailable. */
function planReplacement(daemons: Daemons, pairs: readonly Pair[], limit: number): DaemonPlan {
  const available = availability(daemons);
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { newPod, oldPod, isExcessive } of pairs) {
    if (isExcessive || Boolean(newPod) === Boolean(oldPod)) unavailable++;
    else if (newPod) unavailable += available(newPod) ? 0 : 1;
    else if (oldPod && available(oldPod)) candidates.push(oldPod);
    else if (oldPod) {
      broken.push(oldPod);
      unavailable++;
    }
  }
  const rest = Math.max(0, limit - unavailable);
  return { create: [], remove: [...broken, ...candidates.slice(0, rest)] };
}

/** Creates new Pods beside old ones, which are deleted when the new ones are available. */
function planSurge(
  daemons: Daemons,
  pairs: readonly Pair[],
  { surge, desired }: { readonly surge: number; readonly desired: ReadonlySet<string> },
): DaemonPlan {
  const available = availability(daemons);
  const remove: Pod[] = [];
  const misplaced: Pod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let working = 0;
  for (const { node, newPod, oldPod, isExcessive } of pairs) {
    if (isExcessive) {
      surging++;
      continue;
    }
    const counted = oldPod ?? newPod;
    if (counted && available(counted)) working++;
    if (!oldPod) continue;
    if (newPod) {
      if (available(newPod)) remove.push(oldPod);
      else surging++;
    } else if (!desired.has(node)) (available(oldPod) ? misplaced : remove).push(oldPod);
    else (available(oldPod) ? candidates : urgent).push(node);
  }
  const dispensable = Math.max(0, working - desired.size);
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, surge - surging))],
    remove: [...remove, ...misplaced.slice(0, dispensable)],
  };
}
