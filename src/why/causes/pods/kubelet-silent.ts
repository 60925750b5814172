import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import { hasEnded, isScheduled } from "../../facts/containers.ts";

/** Limit of the time (ms) in which a kubelet reports about a Pod that it was given. */
const silentMs = 30_000;

/** A Pod that has a node, whose kubelet has not even written a first status. */
export const kubeletSilent = cause<Pod>({
  name: "kubelet-silent",
  layer: "node",
  isFallback: true,
  of: [pods],
  find(pod, view) {
    const { status, spec, metadata } = pod;
    if (!isScheduled(pod) || hasEnded(pod) || metadata.deletionTimestamp) return undefined;
    if (status?.startTime || (status?.containerStatuses ?? []).length > 0) return undefined;
    const waitedMs = ageMs(metadata.creationTimestamp, view.nowMs);
    const node = view.get(nodes, { name: spec.nodeName ?? "" });
    if (waitedMs < silentMs || !hasCondition(node?.status?.conditions, "Ready")) return undefined;
    return {
      sentence: `the kubelet of node ${spec.nodeName} has not taken it up for ${humanDuration(waitedMs)}`,
      certainty: "likely",
      fix: ["k8ts logs kubelet", `kubectl describe node ${spec.nodeName}`],
    };
  },
});
