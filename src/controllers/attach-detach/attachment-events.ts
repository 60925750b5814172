/** Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go (reportMultiAttachError). */
import type { PersistentVolume, Pod } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";

/** Records the same event for several Pods. */
export function recordForAll(
  pods: readonly Pod[],
  type: "Normal" | "Warning",
  reason: string,
  message: string,
  { recorder }: Pick<ControllerContext, "recorder">,
): void {
  for (const pod of pods) recorder.event(pod, type, reason, message);
}

/**
 * The event messages for Pods that wait for a volume in use by others; Pods of other namespaces are
 * only counted.
 */
export function blockedMessages(
  { metadata }: PersistentVolume,
  waiting: readonly Pod[],
  others: readonly Pod[],
): [pod: Pod, message: string][] {
  return waiting.map((pod) => {
    const { namespace } = pod.metadata;
    const near = others.filter((other) => other.metadata.namespace === namespace);
    const why = whyBlocked(near, others.length - near.length);
    return [pod, `Waiting for detach for volume "${metadata.name}" ${why}`];
  });
}

function whyBlocked(near: readonly Pod[], farCount: number): string {
  const far = `${farCount} pod(s) in different namespaces`;
  if (near.length === 0 && farCount === 0) {
    return "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node";
  }
  if (near.length === 0) return `Volume is already used by ${far}`;
  const names = near.map(({ metadata }) => metadata.name).join(", ");
  return `Volume is already used by pod(s) ${names}${farCount > 0 ? ` and ${far}` : ""}`;
}
