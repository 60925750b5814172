/** Upstream: pkg/controller/statefulset/stateful_set_control.go (updateStatus, completeUpdate). */
import type { StatefulSetStatus } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import { replicasOf } from "./identity.ts";
import { revisionOf, type SetView } from "./plan-set.ts";

/** The status of a set with these Pods. */
export function computeStatus(view: SetView, collisionCount: number): StatefulSetStatus {
  const { set, pods, current, update, nowMs } = view;
  const count = (holds: (pod: Pod) => boolean): number => pods.filter(holds).length;
  const isRunning = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);
  const isStaying = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;
  const ofRevision = (name: string | undefined): number =>
    count((pod) => isStaying(pod) && revisionOf(pod) === name);
  const readyReplicas = count(isRunning);
  const updatedReplicas = ofRevision(update.metadata.name);
  const isComplete = [updatedReplicas, readyReplicas, pods.length].every(
    (number) => number === replicasOf(set),
  );
  const latest = isComplete ? update : current;
  const currentReplicas = isComplete ? updatedReplicas : ofRevision(current.metadata.name);
  const optional = {
    observedGeneration: set.metadata.generation ?? 0,
    readyReplicas,
    currentReplicas,
    updatedReplicas,
  };
  const { conditions } = set.status ?? {};
  return {
    replicas: pods.length,
    availableReplicas: count(
      (pod) => isRunning(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs),
    ),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== 0)),
    currentRevision: latest.metadata.name ?? "",
    updateRevision: update.metadata.name ?? "",
    collisionCount,
    ...(conditions ? { conditions } : {}),
  };
}
