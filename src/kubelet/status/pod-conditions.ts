/** Upstream: pkg/kubelet/status/generate.go. */
import type { ContainerStatus, Pod, PodCondition, PodPhase } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { sandboxChange } from "../plan/pod-actions.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import { type AnyContainer, isHostNetwork, isSidecar } from "../state/pod-containers.ts";
import { asksToRestartAll } from "../state/restart-policy.ts";

interface ConditionsInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly phase: PodPhase;
  /** Statuses of init and ordinary containers. */
  readonly statuses: readonly ContainerStatus[];
  /** The conditions that were last reported. */
  readonly old: readonly PodCondition[] | undefined;
  /** Conditions of other owners, for readiness gates. */
  readonly foreign: readonly PodCondition[];
}

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

const yes: Verdict = { status: "True" };
const no = (reason?: string, message?: string): Verdict => ({
  status: "False",
  ...(reason && { reason }),
  ...(message && { message }),
});

/** The conditions that the kubelet owns, without times. */
export function computeConditions(input: ConditionsInput): PodCondition[] {
  const { pod } = input;
  const containersReady = judgeContainers(input);
  const verdicts: [PodCondition["type"], Verdict][] = [
    ["PodReadyToStartContainers", judgeSandbox(input)],
    ["Initialized", judgeInitialization(input)],
    ["Ready", containersReady.status === "True" ? judgeGates(input) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", yes],
  ];
  if (mayRestartAll(pod)) verdicts.push(["AllContainersRestarting", judgeRestart(input)]);
  const { generation } = pod.metadata;
  return verdicts.map(([type, verdict]) => ({
    type,
    ...(generation !== undefined &&
      type !== "AllContainersRestarting" && { observedGeneration: generation }),
    ...verdict,
  }));
}

/** Whether the kubelet owns a condition: it then removes it when it no longer reports it. */
export function isKubeletCondition(type: string): boolean {
  return kubeletConditions.has(type);
}

const kubeletConditions = new Set([
  "PodScheduled",
  "Ready",
  "Initialized",
  "ContainersReady",
  "PodResizeInProgress",
  "PodResizePending",
  "PodReadyToStartContainers",
  "AllContainersRestarting",
]);

function judgeSandbox({ pod, observed }: ConditionsInput): Verdict {
  if (!sandboxChange(pod, observed).createSandbox) return yes;
  return no("PodSandboxNotReady", sandboxProblem(pod, observed));
}

function sandboxProblem(pod: Pod, { sandboxes }: ObservedPod): string {
  const [newest] = sandboxes;
  if (newest === undefined) return "no pod sandbox exists";
  if (sandboxes.filter(({ ready }) => ready).length > 1) {
    return "multiple pod sandboxes are ready and need to be reconciled";
  }
  if (!newest.ready) return "pod sandbox is not ready";
  if (newest.hostNetwork !== isHostNetwork(pod)) {
    return "network namespace mode changed and sandbox needs to be recreated";
  }
  return "pod sandbox has no IP address";
}

function list(containers: readonly AnyContainer[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`;
}

function problems(
  unknown: readonly AnyContainer[],
  others: readonly AnyContainer[],
  what: string,
): string {
  const messages: string[] = [];
  if (unknown.length > 0) messages.push(`containers with unknown status: ${list(unknown)}`);
  if (others.length > 0) messages.push(`containers with ${what} status: ${list(others)}`);
  return messages.join(", ");
}

function judgeInitialization({ pod, statuses, phase, old }: ConditionsInput): Verdict {
  const { initContainers = [], containers } = pod.spec;
  const statusFor = ({ name }: AnyContainer) => statuses.find((one) => one.name === name);
  const unknown = initContainers.filter((container) => !statusFor(container));
  const incomplete = initContainers.filter((container) => {
    const status = statusFor(container);
    return status && !(isSidecar(container) ? status.started : status.ready);
  });
  if (phase === "Succeeded" && unknown.length === 0)
    return { status: "True", reason: "PodCompleted" };
  const begun = containers.some((container) => {
    const state = statusFor(container)?.state;
    return state?.running || state?.terminated;
  });
  const message = problems(unknown, incomplete, "incomplete");
  if (begun || message === "" || hasCondition(old, "Initialized")) return yes;
  return no("ContainersNotInitialized", message);
}

function judgeContainers({ pod, statuses, phase }: ConditionsInput): Verdict {
  const containers = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
  const statusFor = ({ name }: AnyContainer) => statuses.find((one) => one.name === name);
  const unknown = containers.filter((container) => !statusFor(container));
  if (phase === "Succeeded" && unknown.length === 0) return no("PodCompleted");
  if (phase === "Failed") return no("PodFailed");
  const unready = containers.filter((container) => statusFor(container)?.ready === false);
  const message = problems(unknown, unready, "unready");
  return message === "" ? yes : no("ContainersNotReady", message);
}

function judgeGates({ pod, foreign }: ConditionsInput): Verdict {
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = findCondition(foreign, conditionType);
    if (!condition) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    if (condition.status === "True") return [];
    return [
      `the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`,
    ];
  });
  return messages.length === 0 ? yes : no("ReadinessGatesNotReady", messages.join(", "));
}

/** Whether some container can request a restart of all. */
function mayRestartAll({ spec }: Pod): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
  );
}

function judgeRestart({ pod, observed, phase, old, statuses }: ConditionsInput): Verdict {
  if (phase === "Succeeded") return no("PodCompleted");
  if (phase === "Failed") return no("PodFailed");
  const status = { conditions: [...(old ?? [])], containerStatuses: [...statuses] };
  const names = new Set(
    [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((c) => c.name),
  );
  const cleaned = !observed.containers.some(({ name }) => names.has(name));
  if (cleaned || !asksToRestartAll(pod, observed, status)) return no();
  return {
    status: "True",
    reason: "RestartAllContainersStarted",
    message: "container exited with restart policy rule",
  };
}
