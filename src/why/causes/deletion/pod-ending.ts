import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { inNamespace } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { isScheduled } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";

/** Limit of the time (ms) after the grace period in which a node removes a Pod. */
const slackMs = 15_000;

/** A Pod that does not end: without finalizers, it is its node that has to do something. */
export const podEnding = cause<Pod>({
  name: "pod-does-not-end",
  layer: "deletion",
  group: "deletion",
  of: [pods],
  find(pod, view) {
    const { deletionTimestamp, finalizers = [], namespace = "", name } = pod.metadata;
    if (!deletionTimestamp || finalizers.length > 0) return undefined;
    const { nodeName = "" } = pod.spec;
    const force = `kubectl ${inNamespace({ namespace })}delete pod ${name} --grace-period=0 --force`;
    const found = isScheduled(pod) ? view.lookup(nodes, { name: nodeName }) : undefined;
    const isLost =
      found?.state === "absent" ||
      (found?.state === "found" && !hasCondition(found.value.status?.conditions, "Ready"));
    if (isLost) {
      return {
        sentence: `it is being deleted, but its node ${nodeName} ${found.state === "absent" ? "exists no more" : "is not ready"}, so nothing confirms that its containers have ended`,
        since: deletionTimestamp,
        fix: [
          ...(found.state === "absent" ? [] : [`kubectl why node/${nodeName}`]),
          `${force}  # only if the machine is off`,
        ],
      };
    }
    const lateMs = view.nowMs - Date.parse(deletionTimestamp);
    const event = podEvent(pod, view, [
      "FailedKillPod",
      "FailedPreStopHook",
      "ExceededGracePeriod",
      "KillContainerError",
    ]);
    if (lateMs < slackMs) return undefined;
    return {
      sentence: `its containers should have ended ${humanDuration(lateMs)} ago, but node ${nodeName} has not removed it${event ? `: ${oneLine(event.message, 160)}` : ""}`,
      certainty: event ? "proven" : "likely",
      since: deletionTimestamp,
      evidence: event ? [eventLine(event, view.nowMs)] : [],
      fix: ["k8ts logs kubelet", force],
    };
  },
});
