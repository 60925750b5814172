/** The parts of a Pod that show whether it is unhealthy. The API's lists may be null. */
export interface PodReport {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly PodCondition[] | null;
    readonly initContainerStatuses?: readonly ContainerReport[] | null;
    readonly containerStatuses?: readonly ContainerReport[] | null;
  };
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

interface ContainerReport {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
  readonly lastState?: {
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

/** Waiting reasons of a container during a normal start. */
const normalWaits = new Set(["ContainerCreating", "PodInitializing"]);

/** Limit of the time (ms) that a Pod may take to become Ready before it counts as unhealthy. */
const startMs = 30_000;

/** Why a Pod is unhealthy, in a few words; undefined if it is healthy, has succeeded or has only just started. */
export function podProblem({ status = {} }: PodReport, nowMs: number): string | undefined {
  const { phase, reason, message } = status;
  if (phase === "Succeeded") return undefined;
  if (phase === "Failed") return firstLine(reason ?? "Failed", message);
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return (
    containers.map(containerProblem).find((problem) => problem !== undefined) ??
    conditionProblem(status.conditions ?? [], nowMs)
  );
}

function containerProblem({ state, lastState, restartCount }: ContainerReport): string | undefined {
  const { waiting } = state ?? {};
  if (!waiting?.reason || normalWaits.has(waiting.reason)) return undefined;
  const last = lastState?.terminated;
  if (waiting.reason !== "CrashLoopBackOff" || !last) {
    return firstLine(waiting.reason, waiting.message);
  }
  const cause = last.reason === "OOMKilled" ? "out of memory" : `exit code ${last.exitCode}`;
  return `${waiting.reason}: ${cause}, restarted ${restartCount} times`;
}

function conditionProblem(conditions: readonly PodCondition[], nowMs: number): string | undefined {
  const condition = (type: string) => conditions.find((one) => one.type === type);
  const scheduled = condition("PodScheduled");
  if (scheduled?.status === "False") {
    return firstLine(scheduled.reason ?? "Unschedulable", scheduled.message);
  }
  const ready = condition("Ready");
  const sinceMs = Date.parse(ready?.lastTransitionTime ?? "");
  if (ready?.status !== "False" || !(nowMs - sinceMs > startMs)) return undefined;
  return firstLine("not Ready", ready.message);
}

const firstLine = (reason: string, message: string | undefined): string =>
  message ? `${reason}: ${message.split("\n")[0]}` : reason;
