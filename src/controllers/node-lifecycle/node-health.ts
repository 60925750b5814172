/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth). */
import type { Node, NodeCondition } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";

/** The last observed heartbeat of a node, and when it last changed. */
export interface Observation {
  readonly heartbeat: string;
  readonly renewTime: string;
  readonly seenMs: number;
}

/** Conditions of the kubelet, which become Unknown when it is silent. */
const conditionTypes = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The current heartbeat of a node; the previous observation if it has not changed. */
export function observe(
  node: Node,
  renewTime: string | undefined,
  before: Observation | undefined,
  nowMs: number,
): Observation {
  const heartbeat = findCondition(node.status?.conditions, "Ready")?.lastHeartbeatTime ?? "";
  const now = { heartbeat, renewTime: renewTime ?? "" };
  if (before && before.heartbeat === now.heartbeat && before.renewTime === now.renewTime) {
    return before;
  }
  return { ...now, seenMs: nowMs };
}

/**
 * A node's conditions after it was silent for too long; undefined if it wasn't, or if they are set.
 */
export function silentConditions(
  node: Node,
  { seenMs }: Observation,
  { graceMs, startupGraceMs, nowMs }: { graceMs: number; startupGraceMs: number; nowMs: number },
): NodeCondition[] | undefined {
  const conditions = node.status?.conditions ?? [];
  const isNew = !findCondition(conditions, "Ready");
  const since = isNew ? parseTime(node.metadata.creationTimestamp ?? "") : seenMs;
  if (nowMs <= since + (isNew ? startupGraceMs : graceMs)) return undefined;
  const isKnown = (type: string): boolean => findCondition(conditions, type)?.status !== "Unknown";
  if (!conditionTypes.some(isKnown)) return undefined;
  const now = formatTime(nowMs);
  const changed = conditionTypes.map((type): NodeCondition => {
    const old = findCondition(conditions, type);
    if (old?.status === "Unknown") return old;
    return old
      ? {
          ...old,
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
          lastTransitionTime: now,
        }
      : {
          type,
          status: "Unknown",
          reason: "NodeStatusNeverUpdated",
          message: "Kubelet never posted node status.",
          lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
          lastTransitionTime: now,
        };
  });
  return [...conditions.filter(({ type }) => !conditionTypes.includes(type)), ...changed];
}
