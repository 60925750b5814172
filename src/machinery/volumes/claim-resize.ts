/** Upstream: pkg/volume/util/resize_util.go. */
import type { PersistentVolumeClaim, PersistentVolumeClaimCondition } from "#/api/core/v1.ts";

type ResizeStatus = "NodeResizePending" | "NodeResizeInProgress" | "NodeResizeInfeasible";

const resizeConditions: ReadonlySet<string> = new Set([
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
]);

interface ResizeCondition {
  readonly type: "Resizing" | "FileSystemResizePending" | "NodeResizeError";
  readonly message: string;
}

interface ResizeChange {
  /** Undefined if the resize has ended. */
  readonly status?: ResizeStatus | undefined;
  /** The size to which it is being resized. */
  readonly allocated?: string;
  /** The size that it has. */
  readonly capacity?: string;
  /** Replaces the conditions of earlier steps. */
  readonly condition?: ResizeCondition | undefined;
  readonly nowText: string;
}

/** The step of the resize of a claim's volume; undefined if there is none. */
export const resizeStatusOf = ({ status }: PersistentVolumeClaim): string | undefined =>
  status?.allocatedResourceStatuses?.["storage"];

/** A merge patch of a claim's status for a step of its resize. It conflicts if the claim has changed. */
export function planResizePatch(claim: PersistentVolumeClaim, change: ResizeChange): object {
  const { status, allocated, capacity, condition, nowText } = change;
  const { conditions = [] } = claim.status ?? {};
  const others = (conditions ?? []).filter(({ type }) => !resizeConditions.has(type));
  const held = (conditions ?? []).find(({ type }) => type === condition?.type);
  const now: PersistentVolumeClaimCondition[] = condition
    ? [{ lastTransitionTime: held?.lastTransitionTime ?? nowText, ...condition, status: "True" }]
    : [];
  return {
    metadata: { resourceVersion: claim.metadata.resourceVersion },
    status: {
      conditions: [...others, ...now],
      allocatedResourceStatuses: { storage: status ?? null },
      ...(allocated !== undefined && { allocatedResources: { storage: allocated } }),
      ...(capacity !== undefined && { capacity: { storage: capacity } }),
    },
  };
}
