import type { TopologySpreadConstraint } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Labels, type Selector, selectorFromLabels } from "#/machinery/meta/labels.ts";
import type { NodeMatcher } from "#/machinery/pods/node-affinity.ts";
import { oncePerLabelSet } from "../../cache/label-sets.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { toleratesNode } from "../shared/taint-toleration.ts";

export const hostnameLabel = "kubernetes.io/hostname";

/** A compiled constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  /** selector.matches(), once for each label set. */
  readonly matches: (labels: Labels) => boolean;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/**
 * Compiles the constraints with one whenUnsatisfiable action (DoNotSchedule, ScheduleAnyway). Throws SelectorError.
 *
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/common.go.
 */
export function compileConstraints(
  constraints: readonly TopologySpreadConstraint[],
  whenUnsatisfiable: string,
  labels: Labels,
): SpreadConstraint[] {
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      ...selecting(selectorOf(constraint, labels)),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor",
      honorsTaints: (constraint.nodeTaintsPolicy ?? "Ignore") === "Honor",
    }));
}

function selectorOf(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Labels,
): Selector {
  const selector = compileLabelSelector(labelSelector);
  const own: Record<string, string> = {};
  for (const key of matchLabelKeys) {
    const value = labels[key];
    if (value !== undefined) own[key] = value;
  }
  if (Object.keys(own).length === 0 || !selector.selectable) return selector;
  return selectorFromLabels(own).add(...selector.requirements);
}

/** The selector of a constraint, with matchLabelKeys. */
export function selecting(selector: Selector): Pick<SpreadConstraint, "selector" | "matches"> {
  return { selector, matches: oncePerLabelSet((labels) => selector.matches(labels)) };
}

/** True if a node has the topology keys of all constraints. */
export function hasTopologyKeys(
  labels: Labels | undefined,
  constraints: readonly SpreadConstraint[],
): boolean {
  return constraints.every(({ topologyKey }) => labels?.[topologyKey] !== undefined);
}

/** True if a constraint of a pod includes a node. */
export function nodeCounts(
  constraint: SpreadConstraint,
  pod: PodInfo,
  node: NodeInfo,
  affinity: NodeMatcher,
): boolean {
  if (constraint.honorsAffinity && !affinity.matches(node.node)) return false;
  return !constraint.honorsTaints || toleratesNode(pod.pod, node.node);
}

/** Number of pods of a namespace on a node that a constraint counts: no terminating ones, and 0 if the selector is empty. */
export function countMatching(
  node: NodeInfo,
  { selector, matches }: SpreadConstraint,
  namespace: string,
): number {
  if (node.pods.length === 0 || selector.isEverything) return 0;
  let count = 0;
  for (const pod of node.pods) {
    if (pod.namespace !== namespace || pod.terminating) continue;
    if (matches(pod.labels)) count++;
  }
  return count;
}
