/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (doNoScheduleTaintingPass). */
import type { Node, Taint } from "#/api/core/v1.ts";

/** The NoSchedule taint for each condition and its bad status. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: "node.kubernetes.io/not-ready", Unknown: "node.kubernetes.io/unreachable" },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};
const unschedulable = "node.kubernetes.io/unschedulable";
const ownKeys: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(taintKeys).flatMap((byStatus) => Object.values(byStatus)),
]);

/** The keys of the taints for a node's state. */
function desiredKeys({ spec, status }: Node): Set<string> {
  const keys = (status?.conditions ?? []).flatMap(
    (condition) => taintKeys[condition.type]?.[condition.status] ?? [],
  );
  return new Set(spec?.unschedulable ? [...keys, unschedulable] : keys);
}

/** A node's taints with those of its conditions corrected; undefined if they are correct. */
export function planConditionTaints(node: Node, time: string): Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const desired = desiredKeys(node);
  const isOwn = ({ key, effect }: Taint): boolean => effect === "NoSchedule" && ownKeys.has(key);
  const kept = taints.filter((taint) => !isOwn(taint) || desired.has(taint.key));
  const there = new Set(kept.filter(isOwn).map(({ key }) => key));
  const added = [...desired]
    .filter((key) => !there.has(key))
    .map((key): Taint => ({ key, effect: "NoSchedule", timeAdded: time }));
  if (kept.length === taints.length && added.length === 0) return undefined;
  return [...kept, ...added];
}
