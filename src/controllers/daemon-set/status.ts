/** Upstream: pkg/controller/daemon/daemon_controller.go (updateDaemonSetStatus). */
import type { DaemonSetStatus } from "#/api/apps/v1.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import { nodeFitOf } from "./node-fit.ts";
import { byPlacementAndAge, type Daemons } from "./plan-pods.ts";
import { isUpdated } from "./plan-rollout.ts";

/** The status of a set with these Pods. */
export function computeStatus(
  { set, nodes, podsByNode, hash, nowMs }: Daemons,
  collisionCount: number | undefined,
): DaemonSetStatus {
  const fitOf = nodeFitOf(set);
  const counts = { desired: 0, current: 0, misplaced: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [pod] = [...(podsByNode.get(node.metadata.name ?? "") ?? [])].sort(byPlacementAndAge);
    if (!fitOf(node).runs) {
      counts.misplaced += pod ? 1 : 0;
      continue;
    }
    counts.desired++;
    if (!pod) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)) counts.available++;
    if (isUpdated(pod, set, hash)) counts.updated++;
  }
  const optional = {
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
    observedGeneration: set.metadata.generation ?? 0,
  };
  const { conditions } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misplaced,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}
