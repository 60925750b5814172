import type { Container, ContainerStatus, Pod, PodStatus, Probe } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ProbeKind, ProbeResult } from "../state/pod-services.ts";

/** A worker's state of its container. */
export interface ProbeState {
  /** The id of the container status: `containerd://…`; "" before the first. */
  readonly containerID: string;
  readonly lastResult: ProbeResult | undefined;
  /** How many times in a row the last result occurred. */
  readonly run: number;
  /** No probes until there is a new container. */
  readonly onHold: boolean;
}

export const freshProbe: ProbeState = {
  containerID: "",
  lastResult: undefined,
  run: 0,
  onHold: false,
};

/** A worker's next step: end, wait for the next period, or probe; and the result until then. */
interface ProbeStep {
  readonly action: "end" | "wait" | "probe";
  readonly state: ProbeState;
  /** Results to record, in order. */
  readonly record: readonly ProbeResult[];
}

export interface ProbeSubject {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly pod: Pod;
  readonly container: Container;
  /** Containers that were healthy before the kubelet started keep their state until they are probed. */
  readonly kubeletStartMs: number;
}

const initialResults: Readonly<Record<ProbeKind, ProbeResult>> = {
  Readiness: "Failure",
  Liveness: "Success",
  Startup: "Unknown",
};

/**
 * Limit of a container's start time relative to the kubelet's (ms): one that started earlier existed before the
 * kubelet.
 */
const restartGraceMs = 10_000;

/**
 * The next step of a worker.
 *
 * Upstream: pkg/kubelet/prober/worker.go.
 */
export function probeStep(
  subject: ProbeSubject,
  status: PodStatus | undefined,
  state: ProbeState,
  nowMs: number,
): ProbeStep {
  const { kind, probe, pod, container } = subject;
  if (status === undefined) return { action: "wait", state, record: [] };
  if (status.phase === "Failed" || status.phase === "Succeeded") {
    return { action: "end", state, record: [] };
  }
  const own = statusOf(status, container.name);
  if (own === undefined) return { action: "wait", state, record: [] };
  const record: ProbeResult[] = [];
  let next = state;
  if (own.containerID !== state.containerID) {
    next = { ...freshProbe, containerID: own.containerID ?? "" };
    record.push(...firstResults(subject, own));
  }
  if (next.onHold) return { action: "wait", state: next, record };
  const running = own.state?.running;
  if (running === undefined) {
    record.push("Failure");
    return { action: mayRestart(subject, own) ? "wait" : "end", state: next, record };
  }
  if (pod.metadata.deletionTimestamp !== undefined && kind !== "Readiness") {
    return { action: "end", state: next, record: [...record, "Success"] };
  }
  const ageSeconds = Math.floor((nowMs - parseTime(running.startedAt ?? "")) / 1000);
  const early = ageSeconds < (probe.initialDelaySeconds ?? 0);
  const due = (own.started ?? false) !== (kind === "Startup");
  return { action: !early && due ? "probe" : "wait", state: next, record };
}

/** The state after a probe, and the result to record if its threshold is reached. */
export function countResult(
  { kind, probe }: Pick<ProbeSubject, "kind" | "probe">,
  state: ProbeState,
  result: ProbeResult,
): { state: ProbeState; record: readonly ProbeResult[] } {
  const run = state.lastResult === result ? state.run + 1 : 1;
  const counted = { ...state, lastResult: result, run };
  const needed = result === "Failure" ? probe.failureThreshold : probe.successThreshold;
  const byDefault = result === "Failure" ? 3 : 1;
  if (run < (needed ?? byDefault)) return { state: counted, record: [] };
  const done = kind === "Startup" || (kind === "Liveness" && result === "Failure");
  return { state: done ? { ...counted, onHold: true, run: 0 } : counted, record: [result] };
}

function statusOf(status: PodStatus, name: string): ContainerStatus | undefined {
  return [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(
    (one) => one.name === name && (one.containerID ?? "") !== "",
  );
}

function firstResults(subject: ProbeSubject, status: ContainerStatus): ProbeResult[] {
  const { kind, kubeletStartMs } = subject;
  const started = status.state?.running?.startedAt;
  const before = started !== undefined && parseTime(started) < kubeletStartMs - restartGraceMs;
  if (!before) return [initialResults[kind]];
  return kind === "Startup" && isSidecar(subject) && status.started ? ["Success"] : [];
}

/** Whether a container that doesn't run will run again. */
function mayRestart(subject: ProbeSubject, { state }: ContainerStatus): boolean {
  const { pod, container } = subject;
  const terminated = state?.terminated;
  if (terminated === undefined || isSidecar(subject)) return true;
  const rule = container.restartPolicyRules?.find(({ exitCodes }) =>
    exitCodes?.operator === "NotIn"
      ? !exitCodes.values?.includes(terminated.exitCode)
      : exitCodes?.values?.includes(terminated.exitCode),
  );
  if (rule !== undefined) return true;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && terminated.exitCode !== 0);
}

function isSidecar({ pod, container }: ProbeSubject): boolean {
  return (
    container.restartPolicy === "Always" &&
    (pod.spec.initContainers ?? []).some(({ name }) => name === container.name)
  );
}
