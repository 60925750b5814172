/** Upstream: pkg/kubelet/status/status_manager.go. Pure. */
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { isSidecar } from "../state/pod-containers.ts";
import { isKubeletCondition } from "./pod-conditions.ts";

/** Whether a pod has ended for good. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/**
 * A new status with the values that must not change copied from the previous one: start time, and times of conditions
 * whose status is unchanged.
 */
export function settleStatus(status: PodStatus, old: PodStatus, nowMs: number): PodStatus {
  const now = formatTime(nowMs);
  const conditions = (status.conditions ?? []).map((condition) => {
    const before = findCondition(old.conditions, condition.type);
    const same = before?.status === condition.status;
    return { ...condition, lastTransitionTime: (same && before?.lastTransitionTime) || now };
  });
  const observedGeneration = Math.max(status.observedGeneration ?? 0, old.observedGeneration ?? 0);
  return {
    ...status,
    ...(observedGeneration > 0 && { observedGeneration }),
    conditions,
    startTime: old.startTime ?? now,
  };
}

/** The last status of a pod whose containers have ended: none of them runs or waits any more. */
export function terminatedStatus(pod: Pod, status: PodStatus, isStatic: boolean): PodStatus {
  const end = (one: ContainerStatus): ContainerStatus =>
    one.state?.terminated ? one : { ...one, state: { terminated: lostContainer } };
  const begun = beganInit(status.initContainerStatuses ?? []);
  const ended: PodStatus = { ...status };
  if (isInitialized(pod, status)) {
    ended.containerStatuses = (status.containerStatuses ?? []).map(end);
  }
  if (status.initContainerStatuses) {
    ended.initContainerStatuses = status.initContainerStatuses.map((one, index) =>
      index < begun ? end(one) : one,
    );
  }
  if (!isStatic && !isTerminalPhase(status.phase)) ended.phase = "Failed";
  return ended;
}

const lostContainer = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
};

function isInitialized({ spec }: Pod, status: PodStatus): boolean {
  if (!spec.initContainers?.length) return true;
  const moved = (one: ContainerStatus) => one.lastState?.terminated || !one.state?.waiting;
  if (status.containerStatuses?.some(moved)) return true;
  const last = status.initContainerStatuses?.at(-1);
  const container = spec.initContainers.at(-1);
  if (!last || !container) return false;
  if (isSidecar(container)) return last.state?.running !== undefined && last.started === true;
  return last.lastState?.terminated?.exitCode === 0 || last.state?.terminated?.exitCode === 0;
}

/** How many init containers, from the first, have ever been started; at least one counts. */
function beganInit(statuses: readonly ContainerStatus[]): number {
  const last = statuses.findLastIndex((one) => !one.state?.waiting || one.lastState?.terminated);
  return Math.max(last + 1, Math.min(1, statuses.length));
}

/**
 * The status to write, given the server's: conditions of other owners are kept, and a pod hasn't ended as long as a
 * container may run.
 */
export function mergeStatus(
  pod: Pod,
  status: PodStatus,
  mayRun: boolean,
  nowMs: number,
): PodStatus {
  const old = pod.status ?? {};
  const ending = !isTerminalPhase(old.phase) && isTerminalPhase(status.phase);
  const conditions = mergeConditions(status, old, ending && !mayRun, nowMs);
  const merged: PodStatus = { ...status, conditions };
  copyForeign(merged, old);
  if (ending && mayRun) {
    restore(merged, old, "phase");
    restore(merged, old, "reason");
    restore(merged, old, "message");
  }
  if (isTerminalPhase(merged.phase)) merged.conditions = unready(merged, nowMs);
  return merged;
}

function mergeConditions(
  status: PodStatus,
  old: PodStatus,
  withDisruption: boolean,
  nowMs: number,
): PodCondition[] {
  const foreign = (old.conditions ?? []).filter(({ type }) => !isKubeletCondition(type));
  const own = (status.conditions ?? []).filter(({ type }) => isKubeletCondition(type));
  const disruption = findCondition(status.conditions, "DisruptionTarget");
  if (!disruption || !withDisruption) return [...foreign, ...own];
  const known = hasCondition(foreign, "DisruptionTarget", disruption.status);
  const dated = known ? disruption : { ...disruption, lastTransitionTime: formatTime(nowMs) };
  const others = foreign.filter(({ type }) => type !== "DisruptionTarget");
  return [...others, dated, ...own];
}

/** Copies the fields of other owners. */
function copyForeign(status: PodStatus, old: PodStatus): void {
  for (const field of [
    "resourceClaimStatuses",
    "extendedResourceClaimStatus",
    "nodeAllocatableResourceClaimStatuses",
    "volumeHealth",
    "nominatedNodeName",
  ] as const) {
    restore(status, old, field);
  }
}

function restore(status: PodStatus, old: PodStatus, field: keyof PodStatus): void {
  if (old[field] === undefined) delete status[field];
  else Object.assign(status, { [field]: old[field] });
}

function unready({ conditions = [], phase }: PodStatus, nowMs: number): PodCondition[] {
  const reason = phase === "Failed" ? "PodFailed" : "PodCompleted";
  return conditions.map((condition) => {
    const { type, status } = condition;
    if ((type !== "Ready" && type !== "ContainersReady") || status !== "True") return condition;
    return { ...condition, status: "False", reason, lastTransitionTime: formatTime(nowMs) };
  });
}
