/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth). */
import type { Lease } from "#/api/coordination/v1.ts";
import type { Node, NodeCondition } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";

/** The last observed heartbeat of a node, and when it last changed. */
export interface Observation {
  readonly heartbeat: string;
  readonly renewTime: string;
  /** Resource version of the observed lease; "" if there is none. */
  readonly leaseVersion: string;
  /** By the monotonic clock: a step of the wall clock must not make all nodes silent. */
  readonly seenMs: number;
}

/** Both clocks at one moment. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

interface GracePeriods {
  readonly graceMs: number;
  /** For nodes whose kubelet has never posted a status. */
  readonly startupGraceMs: number;
}

/** Conditions of the kubelet, which become Unknown when it is silent. */
const conditionTypes = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

const readyOf = ({ status }: Node): NodeCondition | undefined =>
  findCondition(status?.conditions, "Ready");

/** The current heartbeat of a node; the time of the previous observation if it has not changed. */
export function observe(
  node: Node,
  lease: Lease | undefined,
  before: Observation | undefined,
  { wallMs, monotonicMs }: Moment,
): Observation {
  const heartbeat = readyOf(node)?.lastHeartbeatTime ?? "";
  const renewTime = lease?.spec?.renewTime ?? "";
  const leaseVersion = lease?.metadata.resourceVersion ?? "";
  if (before && before.heartbeat === heartbeat && before.renewTime === renewTime) {
    return { ...before, leaseVersion };
  }
  const created = parseTime(node.metadata.creationTimestamp ?? "");
  // A node without any sign of life is as old as its object.
  const isSilent = !before && renewTime === "" && readyOf(node) === undefined;
  const ageMs = isSilent && created <= wallMs ? wallMs - created : 0;
  return { heartbeat, renewTime, leaseVersion, seenMs: monotonicMs - ageMs };
}

/** Whether a node has been silent for longer than its grace period. */
export function isSilent(
  node: Node,
  { seenMs }: Observation,
  { monotonicMs }: Moment,
  { graceMs, startupGraceMs }: GracePeriods,
): boolean {
  return monotonicMs > seenMs + (readyOf(node) ? graceMs : startupGraceMs);
}

/** The conditions of a silent node; undefined if they are set. */
export function silentConditions(node: Node, nowMs: number): NodeCondition[] | undefined {
  const conditions = node.status?.conditions ?? [];
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
