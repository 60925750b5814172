import type { NodeCondition } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Pressure } from "../state/pressure.ts";

interface PressureTexts {
  readonly type: "MemoryPressure" | "DiskPressure" | "PIDPressure";
  readonly under: readonly [event: string, reason: string, message: string];
  readonly free: readonly [event: string, reason: string, message: string];
}

const pressureTexts: Readonly<Record<keyof Pressure, PressureTexts>> = {
  memory: {
    type: "MemoryPressure",
    under: [
      "NodeHasInsufficientMemory",
      "KubeletHasInsufficientMemory",
      "kubelet has insufficient memory available",
    ],
    free: [
      "NodeHasSufficientMemory",
      "KubeletHasSufficientMemory",
      "kubelet has sufficient memory available",
    ],
  },
  disk: {
    type: "DiskPressure",
    under: ["NodeHasDiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure"],
    free: ["NodeHasNoDiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  },
  pid: {
    type: "PIDPressure",
    under: [
      "NodeHasInsufficientPID",
      "KubeletHasInsufficientPID",
      "kubelet has insufficient PID available",
    ],
    free: [
      "NodeHasSufficientPID",
      "KubeletHasSufficientPID",
      "kubelet has sufficient PID available",
    ],
  },
};

interface ConditionsInput {
  readonly previous: readonly NodeCondition[];
  readonly pressure: Pressure;
  /** Why the node isn't ready; empty if it is. */
  readonly problems: readonly string[];
  readonly nowMs: number;
}

/**
 * The conditions that the kubelet reports, Ready last (others are left unchanged), and the reasons of the events that
 * report changes.
 *
 * Upstream: pkg/kubelet/nodestatus/setters.go.
 */
export function nodeConditions(input: ConditionsInput): {
  conditions: NodeCondition[];
  events: string[];
} {
  const events: string[] = [];
  const conditions = [...input.previous];
  const put = (condition: NodeCondition): "new" | "changed" | "same" => {
    const at = conditions.findIndex(({ type }) => type === condition.type);
    const before = conditions[at];
    const same = before?.status === condition.status;
    const time = formatTime(input.nowMs);
    const full = {
      ...condition,
      lastHeartbeatTime: time,
      lastTransitionTime: same ? (before.lastTransitionTime ?? time) : time,
    };
    conditions.splice(at === -1 ? conditions.length : at, at === -1 ? 0 : 1, full);
    return before === undefined ? "new" : same ? "same" : "changed";
  };
  for (const kind of ["memory", "disk", "pid"] as const) {
    const { type, under, free } = pressureTexts[kind];
    const isUnder = input.pressure[kind];
    const [event, reason, message] = isUnder ? under : free;
    const change = put({ type, status: isUnder ? "True" : "False", reason, message });
    if (change !== "same") events.push(event);
  }
  if (put(readyCondition(input.problems)) === "changed") {
    events.push(input.problems.length === 0 ? "NodeReady" : "NodeNotReady");
  }
  return { conditions, events };
}

function readyCondition(problems: readonly string[]): NodeCondition {
  if (problems.length === 0) {
    return {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      message: "kubelet is posting ready status",
    };
  }
  const unique = [...new Set(problems)];
  const message = unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
  return { type: "Ready", status: "False", reason: "KubeletNotReady", message };
}
