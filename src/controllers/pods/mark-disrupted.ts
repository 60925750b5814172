/**
 * Upstream: pkg/api/v1/pod/util.go (UpdatePodCondition), as used by controllers that delete
 * disrupted Pods.
 */
import { type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Clock } from "#/std/time/clock.ts";

/**
 * Sets the condition DisruptionTarget on a Pod before its deletion, so that its failure need not be
 * counted.
 */
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
