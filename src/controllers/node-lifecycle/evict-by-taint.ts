/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (doNoExecuteTaintingPass). */
import type { Node, Taint } from "#/api/core/v1.ts";

const taintKeys: Readonly<Record<string, string>> = {
  False: "node.kubernetes.io/not-ready",
  Unknown: "node.kubernetes.io/unreachable",
};

const isOurs = ({ key, effect }: Taint): boolean =>
  effect === "NoExecute" && Object.values(taintKeys).includes(key);

/**
 * A node's taints with the one that evicts its Pods for a status of its Ready condition; undefined
 * if they are correct. An added taint, in contrast to a removed or replaced one, starts an eviction.
 */
export function planEvictionTaints(
  { spec }: Node,
  ready: string,
  time: string,
): { readonly taints: Taint[]; readonly isAdded: boolean } | undefined {
  const taints = spec?.taints ?? [];
  const desired = taintKeys[ready];
  const now = taints.filter(isOurs).map(({ key }) => key);
  if (now.join() === (desired ?? "")) return undefined;
  const added: Taint[] =
    desired === undefined ? [] : [{ key: desired, effect: "NoExecute", timeAdded: time }];
  return {
    taints: [...taints.filter((taint) => !isOurs(taint)), ...added],
    isAdded: desired !== undefined && now.length === 0,
  };
}
