/** Upstream: pkg/controller/controller_utils.go (ActivePodsWithRanks), pkg/controller/replicaset/replica_set.go. */
import type { Pod } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { isActive, isReady, readySinceMs } from "./pod-state.ts";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** The Pods to delete first, of this number. */
export function podsToDelete(
  pods: readonly Pod[],
  /**
   * All Pods of the same origin, such as of all ReplicaSets of one Deployment: duplicates on a node
   * are deleted first.
   */
  related: readonly Pod[],
  count: number,
  nowMs: number,
): Pod[] {
  if (count >= pods.length) return [...pods];
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName ?? "";
    if (isActive(pod)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const rank = (pod: Pod): number => perNode.get(pod.spec?.nodeName ?? "") ?? 0;
  return [...pods].sort((a, b) => compare(a, b, rank, nowMs)).slice(0, count);
}

function compare(a: Pod, b: Pod, rank: (pod: Pod) => number, nowMs: number): number {
  return (
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    phase(a) - phase(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    cost(a) - cost(b) ||
    rank(b) - rank(a) ||
    (isReady(a) && isReady(b) ? compareTimes(readySinceMs(a), readySinceMs(b), a, b, nowMs) : 0) ||
    compareRestarts(a, b) ||
    compareTimes(created(a), created(b), a, b, nowMs)
  );
}

const phase = ({ status }: Pod): number => phaseOrder[status?.phase ?? ""] ?? 0;

/** The pod deletion cost annotation: an int32, default 0. */
function cost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCost];
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : 0;
}

function created({ metadata }: Pod): number | undefined {
  return metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : undefined;
}

/**
 * Newer ones first, on a logarithmic scale, so that Pods of similar age are ordered by their uids.
 */
function compareTimes(
  a: number | undefined,
  b: number | undefined,
  podA: Pod,
  podB: Pod,
  nowMs: number,
): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const difference = logarithmicAge(a, nowMs) - logarithmicAge(b, nowMs);
  if (difference !== 0) return difference;
  return (podA.metadata.uid ?? "") < (podB.metadata.uid ?? "") ? -1 : 1;
}

function logarithmicAge(thenMs: number, nowMs: number): number {
  const ageNs = (nowMs - thenMs) * 1e6;
  return ageNs <= 0 ? -1 : Math.floor(Math.log2(ageNs));
}

/**
 * A Pod whose worst container has restarted more often is deleted first; restarts of running
 * containers are compared before others.
 */
function compareRestarts(a: Pod, b: Pod): number {
  const [regularA, sidecarA] = restarts(a);
  const [regularB, sidecarB] = restarts(b);
  return regularB - regularA || sidecarB - sidecarA;
}

function restarts({ status, spec }: Pod): [regular: number, sidecar: number] {
  const regular = Math.max(0, ...(status?.containerStatuses ?? []).map((one) => one.restartCount));
  const sidecars = new Set(
    (spec?.initContainers ?? [])
      .filter((one) => one.restartPolicy === "Always")
      .map((one) => one.name),
  );
  const counts = (status?.initContainerStatuses ?? [])
    .filter((one) => sidecars.has(one.name))
    .map((one) => one.restartCount);
  return [regular, Math.max(0, ...counts)];
}
