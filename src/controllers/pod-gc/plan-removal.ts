/** Upstream: pkg/controller/podgc/gc_controller.go. */
import type { Node, Pod } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";

const outOfService = "node.kubernetes.io/out-of-service";

/** Ended Pods over the threshold: evicted ones first, then the oldest. */
export function endedBeyond(pods: readonly Pod[], threshold: number): Pod[] {
  if (threshold <= 0) return [];
  const ended = pods.filter(({ status }) => isEnded(status?.phase));
  ended.sort(byEvictionAndAge);
  return ended.slice(0, Math.max(0, ended.length - threshold));
}

const isEnded = (phase: string | undefined): boolean =>
  phase !== "Pending" && phase !== "Running" && phase !== "Unknown";

function byEvictionAndAge(a: Pod, b: Pod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

const isEvicted = ({ status }: Pod): boolean =>
  status?.phase === "Failed" && status.reason === "Evicted";

/** Terminating Pods on nodes that are not ready and have the out-of-service taint. */
export function terminatingOnDeadNodes(
  pods: readonly Pod[],
  findNode: (name: string) => Node | undefined,
): Pod[] {
  return pods.filter(({ metadata, spec }) => {
    const node = metadata.deletionTimestamp ? findNode(spec?.nodeName ?? "") : undefined;
    if (!node || hasCondition(node.status?.conditions, "Ready")) return false;
    return (node.spec?.taints ?? []).some(({ key }) => key === outOfService);
  });
}

/** Terminating Pods without a node. */
export const terminatingUnscheduled = (pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata, spec }) => metadata.deletionTimestamp && !spec?.nodeName);
