import type { ContainerStatus, Pod, PodStatus } from "#/api/core/v1.ts";
import type { TableRowCondition } from "#/api/meta/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import type { Column, Decoded } from "../../../registry/strategy.ts";
import { age, nameColumn } from "../../rules/age.ts";
import { isSidecar } from "../pod-spec/base/visit-containers.ts";

/** Upstream: pkg/printers/internalversion/printers.go. */

const wide = (name: string): Column<Pod> => ({ name, type: "string", priority: 1 });

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  { name: "Ready", type: "string" },
  { name: "Status", type: "string" },
  { name: "Restarts", type: "string" },
  { name: "Age", type: "string" },
  wide("IP"),
  wide("Node"),
  wide("Nominated Node"),
  wide("Readiness Gates"),
];

/** The cells of a pod's row. */
export function podCells(pod: Decoded<Pod>, now: number): readonly unknown[] {
  const { metadata, spec } = pod;
  const status = pod.status ?? {};
  const { ready, total, reason, restarts, lastRestartMs } = summarize(pod);
  const ago =
    restarts > 0 && lastRestartMs > 0 ? ` (${humanDuration(now - lastRestartMs)} ago)` : "";
  return [
    metadata.name ?? "",
    `${ready}/${total}`,
    reason,
    `${restarts}${ago}`,
    age(pod, now),
    status.podIPs?.[0]?.ip || "<none>",
    spec.nodeName || "<none>",
    status.nominatedNodeName || "<none>",
    readinessGates(pod),
  ];
}

function readinessGates({ spec: { readinessGates: gates = [] }, status }: Pod): string {
  if (gates.length === 0) return "<none>";
  const conditions = firstByKey(status?.conditions ?? [], ({ type }) => type);
  const open = gates.filter(({ conditionType: type }) => conditions.get(type)?.status === "True");
  return `${open.length}/${gates.length}`;
}

/** Conditions of the row of a Pod that has ended. */
export function podRowConditions({ status }: Decoded<Pod>): TableRowCondition[] | undefined {
  const completed = (reason: string, message: string): TableRowCondition[] => [
    { type: "Completed", status: "True", reason, message },
  ];
  if (status?.phase === "Succeeded") {
    return completed("Succeeded", "The pod has completed successfully.");
  }
  return status?.phase === "Failed" ? completed("Failed", "The pod failed.") : undefined;
}

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestartMs: number;
}

/** The number of restarts, and the time of the last one. */
interface Restarts {
  readonly count: number;
  readonly lastMs: number;
}

const noRestarts: Restarts = { count: 0, lastMs: 0 };

function addRestarts({ count, lastMs }: Restarts, status: ContainerStatus): Restarts {
  const ended = status.lastState?.terminated?.finishedAt;
  return {
    count: count + status.restartCount,
    lastMs: Math.max(lastMs, ended ? parseTime(ended) : 0),
  };
}

function summarize(pod: Pod): Summary {
  const { spec, metadata } = pod;
  const status = pod.status ?? {};
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const total = (spec.containers ?? []).length + sidecars.size;
  const init = summarizeInit(pod, status, sidecars);
  const started = !init.reason || hasCondition(status.conditions, "Initialized");
  const before = init.reason ?? overallReason(status);
  const main = started ? summarizeMain(status, before, init.ofSidecars) : undefined;
  const restarts = main?.restarts ?? init.restarts;
  const reason = main?.reason ?? before;
  return {
    ready: init.ready + (main?.ready ?? 0),
    total,
    reason: endReason(metadata.deletionTimestamp !== undefined, status) ?? reason,
    restarts: restarts.count,
    lastRestartMs: restarts.lastMs,
  };
}

/** The reason before containers are considered. */
function overallReason({ phase, reason, conditions = [] }: PodStatus): string {
  const gated = conditions.some(
    (one) => one.type === "PodScheduled" && one.reason === "SchedulingGated",
  );
  return gated ? "SchedulingGated" : reason || (phase ?? "");
}

/** The reason of a Pod that is being deleted, whatever the state of its containers. */
function endReason(deleting: boolean, { reason, phase }: PodStatus): string | undefined {
  if (!deleting) return undefined;
  if (reason === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

interface InitSummary {
  readonly ready: number;
  /** Set while initialization is in progress. */
  readonly reason: string | undefined;
  readonly restarts: Restarts;
  readonly ofSidecars: Restarts;
}

/** Summarizes init containers in order, up to the first incomplete one. */
function summarizeInit(
  { spec }: Pod,
  status: PodStatus,
  sidecars: ReadonlySet<string>,
): InitSummary {
  let ready = 0;
  let restarts = noRestarts;
  let ofSidecars = noRestarts;
  for (const [index, one] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(one.name);
    restarts = addRestarts(restarts, one);
    if (sidecar) ofSidecars = addRestarts(ofSidecars, one);
    if (one.state?.terminated?.exitCode === 0) continue;
    if (sidecar && one.started) {
      if (one.ready) ready++;
      continue;
    }
    const place = `${index}/${spec.initContainers?.length ?? 0}`;
    return { ready, reason: `Init:${initReason(one) ?? place}`, restarts, ofSidecars };
  }
  return { ready, reason: undefined, restarts, ofSidecars };
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) {
    const { reason, signal, exitCode } = state.terminated;
    return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
  }
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== "PodInitializing" ? waiting : undefined;
}

interface MainSummary {
  readonly ready: number;
  readonly reason: string;
  readonly restarts: Restarts;
}

/** Summarizes containers from the last to the first; the reason of the first replaces the others. */
function summarizeMain(status: PodStatus, before: string, ofSidecars: Restarts): MainSummary {
  let reason = before;
  let errorReason = "";
  let ready = 0;
  let restarts = ofSidecars;
  for (const one of (status.containerStatuses ?? []).toReversed()) {
    restarts = addRestarts(restarts, one);
    const { waiting, terminated, running } = one.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) {
      const { reason: given, signal, exitCode } = terminated;
      reason = given || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
      if (exitCode !== 0) errorReason = reason;
    } else if (one.ready && running) ready++;
  }
  if (reason === "Completed") {
    if (ready > 0 && hasCondition(status.conditions, "Ready")) reason = "Running";
    else if (errorReason !== "") reason = errorReason;
    else if (ready > 0) reason = "NotReady";
  }
  return { ready, reason, restarts };
}
