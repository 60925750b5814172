/** Upstream: pkg/kubelet/kubelet_pods.go (getPhase). */
import type { ContainerStatus, Pod, PodPhase } from "#/api/core/v1.ts";
import { type AnyContainer, isSidecar } from "../state/pod-containers.ts";
import { restartsAfterExit } from "../state/restart-policy.ts";

interface PhaseInput {
  readonly pod: Pod;
  /** Statuses of init and ordinary containers. */
  readonly statuses: readonly ContainerStatus[];
  /** No container will be started again, whatever its policy is. */
  readonly terminal: boolean;
  /** An ordinary container has been started, so initialization is over. */
  readonly initialized: boolean;
  readonly isStatic: boolean;
}

/** The phase of a pod, from the states of its containers. */
export function computePhase(input: PhaseInput): PodPhase {
  const { terminal, initialized, isStatic } = input;
  const init = countInit(input);
  const counts = countMain(input);
  if (init.failedForGood > 0) return "Failed";
  const initPending = init.pending > 0 || (counts.pendingSidecars > 0 && !initialized);
  if (initPending || counts.waiting > 0) return "Pending";
  if (counts.running > 0 && counts.unknown === 0) return "Running";
  if (counts.running === 0 && counts.stopped > 0 && counts.unknown === 0) {
    const allSucceeded = counts.stopped === counts.succeeded;
    const ended = (terminal && !isStatic) || counts.stopped === counts.stoppedForGood;
    if (!ended) return "Running";
    return allSucceeded ? "Succeeded" : "Failed";
  }
  return "Pending";
}

function statusFor(
  statuses: readonly ContainerStatus[],
  { name }: AnyContainer,
): ContainerStatus | undefined {
  return statuses.find((status) => status.name === name);
}

/** The end of a container: the current one, or the last run's while it waits to run again. */
function lastEnd({ state, lastState }: ContainerStatus) {
  return state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
}

function runsAgain(container: AnyContainer, status: ContainerStatus, pod: Pod): boolean {
  const end = lastEnd(status);
  if (end === undefined || end.reason === "RestartingAllContainers") return true;
  return restartsAfterExit(container, pod.spec, end.exitCode);
}

function countInit({ pod, statuses }: PhaseInput): { pending: number; failedForGood: number } {
  let pending = 0;
  let failedForGood = 0;
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) continue;
    const status = statusFor(statuses, container);
    const end = status && lastEnd(status);
    if (status === undefined || end === undefined) pending++;
    else if (end.exitCode !== 0 && !runsAgain(container, status, pod)) failedForGood++;
    // A failed container that will run again is not counted: those after it are pending already.
  }
  return { pending, failedForGood };
}

interface MainCounts {
  pendingSidecars: number;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  stoppedForGood: number;
  succeeded: number;
}

function countMain({ pod, statuses }: PhaseInput): MainCounts {
  const counts: MainCounts = {
    pendingSidecars: 0,
    unknown: 0,
    running: 0,
    waiting: 0,
    stopped: 0,
    stoppedForGood: 0,
    succeeded: 0,
  };
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) countSidecar(statusFor(statuses, container), counts);
  }
  for (const container of pod.spec.containers) {
    const status = statusFor(statuses, container);
    if (status?.state?.running) counts.running++;
    else if (status && lastEnd(status)) {
      counts.stopped++;
      if (!runsAgain(container, status, pod)) counts.stoppedForGood++;
      if (status.state?.terminated?.exitCode === 0) counts.succeeded++;
    } else if (status?.state?.waiting) counts.waiting++;
    else counts.unknown++;
  }
  return counts;
}

function countSidecar(status: ContainerStatus | undefined, counts: MainCounts): void {
  if (status === undefined) counts.unknown++;
  else if (status.state?.running) {
    if (!status.started) counts.pendingSidecars++;
    counts.running++;
  } else if (!lastEnd(status)) {
    counts.pendingSidecars++;
    if (status.state?.waiting) counts.waiting++;
    else counts.unknown++;
  }
}
