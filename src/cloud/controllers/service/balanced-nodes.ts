/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/controller.go. */
import type { Node } from "#/api/core/v1.ts";
import { parseGoBool } from "#/std/go/strconv.ts";
import { compareText } from "#/std/text/compare-text.ts";

const excludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers";
/** The taint of the cluster autoscaler on nodes that it is about to delete. */
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";
/** Limit of names in messages. */
const maxNames = 20;

/** Whether a node's label lets load balancers use it. A value that is no boolean excludes it. */
function isIncluded({ metadata }: Node): boolean {
  const value = metadata.labels?.[excludeLabel];
  if (value === undefined) return true;
  try {
    return !parseGoBool(value);
  } catch {
    return false;
  }
}

/** The nodes that load balancers send traffic to. Those that are not ready stay: health checks decide. */
export function balancedNodes(nodes: readonly Node[]): Node[] {
  return nodes.filter(
    (node) =>
      node.metadata.deletionTimestamp === undefined &&
      isIncluded(node) &&
      !node.spec?.taints?.some(({ key }) => key === toBeDeletedTaint),
  );
}

/** Whether a change of a node may change the nodes of load balancers. */
export function mayChangeBalancers(now: Node | undefined, old: Node | undefined): boolean {
  if (now === undefined || old === undefined) return true;
  return isIncluded(old) !== isIncluded(now) || providerIdOf(old) !== providerIdOf(now);
}

/** Whether load balancers that have the first set of nodes need no change for the second. */
export function areSameNodes(a: readonly Node[], b: readonly Node[]): boolean {
  if (a.length !== b.length) return false;
  const ids = new Map(a.map((node) => [node.metadata.name, providerIdOf(node)]));
  return b.every((node) => ids.get(node.metadata.name) === providerIdOf(node));
}

/** Names of nodes as messages show them, in Go's form of a list. */
export function shownNodes(nodes: readonly Node[]): string {
  const names = nodes.slice(0, maxNames).map(({ metadata }) => metadata.name ?? "");
  const sorted = [...new Set(names)].sort(compareText);
  const rest = nodes.length - maxNames;
  return `[${[...sorted, ...(rest > 0 ? [`<${rest} more>`] : [])].join(" ")}]`;
}

const providerIdOf = ({ spec }: Node): string => spec?.providerID ?? "";
