/** Upstream: pkg/controller/replicaset/replica_set_utils.go. */
import type { Pod } from "#/api/core/v1.ts";
import { findCondition, withoutCondition } from "#/machinery/meta/conditions.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { positive } from "../base/positive.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import type { Replicated } from "./replicator.ts";

/** The status of a ReplicaSet or a ReplicationController. */
export interface ReplicaStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaCondition[];
}

interface ReplicaCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface StatusOptions {
  /** Why Pods could not be created or deleted. */
  readonly failure: Error | undefined;
  readonly nowMs: number;
  /** Number of terminating Pods; undefined if the status doesn't report it. */
  readonly terminating: number | undefined;
}

/** The status of an owner with these Pods, none of which has ended. */
export function computeStatus(
  owner: Replicated,
  active: readonly Pod[],
  options: StatusOptions,
): ReplicaStatus {
  const { spec, metadata } = owner;
  const { terminating, nowMs } = options;
  const template = selectorFromLabels(spec?.template?.metadata?.labels);
  const count = (holds: (pod: Pod) => boolean): number => active.filter(holds).length;
  const conditions = conditionsOf(owner, active.length, options);
  return {
    replicas: active.length,
    ...positive(
      "fullyLabeledReplicas",
      count((pod) => template.matches(pod.metadata.labels ?? {})),
    ),
    ...positive("readyReplicas", count(isReady)),
    ...positive(
      "availableReplicas",
      count((pod) => isAvailable(pod, spec?.minReadySeconds ?? 0, nowMs)),
    ),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...positive("observedGeneration", metadata.generation ?? 0),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

const failureType = "ReplicaFailure";

/** The condition ReplicaFailure keeps its first time, and is removed with the failure. */
function conditionsOf(
  { spec, status }: Replicated,
  activeCount: number,
  { failure, nowMs }: StatusOptions,
): ReplicaCondition[] {
  const now = status?.conditions ?? [];
  if (!failure) return [...withoutCondition(now, failureType)];
  if (findCondition(now, failureType)) return now;
  const difference = activeCount - (spec?.replicas ?? 1);
  return [
    ...now,
    {
      type: failureType,
      status: "True",
      lastTransitionTime: formatTime(nowMs),
      ...(difference === 0 ? {} : { reason: difference < 0 ? "FailedCreate" : "FailedDelete" }),
      message: failure.message,
    },
  ];
}
