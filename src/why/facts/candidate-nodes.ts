import { type Node, nodes, type PodSpec, type Taint } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { compileRequiredNodeAffinity } from "#/machinery/pods/node-affinity.ts";
import { findUntoleratedTaint } from "#/machinery/pods/tolerations.ts";
import type { View } from "../base/view.ts";

/** The nodes that the nodeSelector and affinity of a Pod allow; undefined if not all can be read. */
export function candidateNodes(spec: PodSpec, view: View): readonly Node[] | undefined {
  const all = view.list(nodes);
  if (!all || !view.isWhole(nodes)) return undefined;
  const wanted = compileRequiredNodeAffinity(spec);
  return all.filter((node) => wanted.matches(node));
}

/** The nodes that take Pods of a specification: Ready, not cordoned, without a taint that it does not tolerate. */
export const openNodes = (all: readonly Node[], spec: PodSpec): readonly Node[] =>
  all.filter(
    (node) =>
      !node.spec?.unschedulable &&
      hasCondition(node.status?.conditions, "Ready") &&
      !hardTaint(node, spec),
  );

/** A taint of a node that keeps a Pod away, as it does not tolerate it. */
export function hardTaint({ spec }: Node, { tolerations }: PodSpec): Taint | undefined {
  const hard = (spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  return findUntoleratedTaint(hard, tolerations);
}

/** `dedicated=db:NoSchedule`. */
export const taintText = ({ key, value, effect }: Taint): string =>
  `${key}${value ? `=${value}` : ""}:${effect}`;
