/** Upstream: pkg/api/v1/pod/util.go (UpdatePodCondition), as those use it who delete pods for others' sake. */
import { type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Says on a pod that it is about to be deleted, and why: who counts failures leaves it out. */
export async function markDisrupted(
  pod: Pod,
  reason: string,
  message: string,
  { client, clock }: { readonly client: Client; readonly clock: Clock },
): Promise<void> {
  const type = "DisruptionTarget";
  const old = findCondition(pod.status?.conditions, type);
  if (old?.status === "True" && old.reason === reason && old.message === message) return;
  const lastTransitionTime = formatTime(clock.now());
  const condition = { type, status: "True", reason, message, lastTransitionTime };
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
  await client.patch(pods, refOf(pod), patch, { type: "strategic", subresource: "status" });
}
