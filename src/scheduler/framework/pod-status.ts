import { type Pod, type PodCondition, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Clock } from "#/std/time/clock.ts";
import { retryTransient } from "./retry-transient.ts";

/** The fields of a pod's status that the scheduler sets; null clears a nomination. */
interface PodStatusChange {
  readonly condition?: Omit<PodCondition, "lastTransitionTime">;
  readonly nominatedNodeName?: string | null;
}

/**
 * The patch that gives a pod this status; undefined if it has it already.
 *
 * Upstream: pkg/scheduler/schedule_one.go (updatePod), pkg/api/v1/pod/util.go (UpdatePodCondition).
 */
function podStatusPatch(
  { status }: Pick<Pod, "status">,
  { condition, nominatedNodeName }: PodStatusChange,
  nowMs: number,
): object | undefined {
  const changed: Record<string, unknown> = {};
  const old = condition && findCondition(status?.conditions, condition.type);
  if (condition && !isSame(old, condition)) {
    const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
    changed["conditions"] = [{ ...condition, lastTransitionTime: since ?? formatTime(nowMs) }];
  }
  if (nominatedNodeName !== undefined) {
    const now = status?.nominatedNodeName ?? "";
    if (now !== (nominatedNodeName ?? "")) changed["nominatedNodeName"] = nominatedNodeName || null;
  }
  return Object.keys(changed).length === 0 ? undefined : { status: changed };
}

/** Sends the patch if one is needed. */
export async function patchPodStatus(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  pod: Pod,
  change: PodStatusChange,
): Promise<void> {
  const patch = podStatusPatch(pod, change, clock.now());
  if (patch === undefined) return;
  const { namespace, name = "" } = pod.metadata;
  const options = { type: "strategic", subresource: "status" } as const;
  await retryTransient(clock, () => client.patch(pods, { namespace, name }, patch, options));
}

function isSame(
  old: PodCondition | undefined,
  { status, reason, message, observedGeneration }: Omit<PodCondition, "lastTransitionTime">,
): boolean {
  return (
    old?.status === status &&
    (old.reason ?? "") === (reason ?? "") &&
    (old.message ?? "") === (message ?? "") &&
    (old.observedGeneration ?? 0) === (observedGeneration ?? 0)
  );
}
