import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause, type Found } from "../../base/cause.ts";
import { oneLine, timeOf } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { containersOf, isScheduled } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";

/** Limit of the time (ms) after the grace period in which a node removes a Pod. */
const slackMs = 15_000;

/** Limit of the time (ms) that containers may take to end without being remarkable: the default grace period. */
const slowMs = 30_000;

/** A Pod whose containers have not ended for long, though its grace period is even longer. */
function endsSlowly(pod: Pod, view: View): Found | undefined {
  const { deletionTimestamp = "", deletionGracePeriodSeconds = 30, name } = pod.metadata;
  const askedMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const isOver = view.nowMs >= Date.parse(deletionTimestamp);
  if (isOver || view.nowMs - askedMs <= slowMs) return undefined;
  const running = containersOf(pod).filter(({ status }) => status?.state?.running);
  const [first] = running;
  if (!first) return undefined;
  const hooked = running.find(({ spec }) => spec.lifecycle?.preStop);
  const why = hooked
    ? `the preStop hook of ${hooked.label} has not ended, or its program ignores SIGTERM`
    : `${first.label} runs on: its program ignores SIGTERM`;
  return {
    sentence: `it was asked to end ${humanDuration(view.nowMs - askedMs)} ago, and ${why}; it is killed after its grace period of ${deletionGracePeriodSeconds} s`,
    certainty: "likely",
    since: timeOf(askedMs),
    evidence: [`terminationGracePeriodSeconds ${deletionGracePeriodSeconds}`],
    fix: [
      `kubectl logs ${name} -c ${first.name} --tail=5`,
      `kubectl delete pod ${name} --grace-period=1`,
      "# make the program handle SIGTERM, or lower terminationGracePeriodSeconds",
    ],
  };
}

/** A Pod that does not end: without finalizers, it is its node that has to do something. */
export const podEnding = cause<Pod>({
  name: "pod-does-not-end",
  layer: "deletion",
  group: "deletion",
  of: [pods],
  find(pod, view) {
    const { deletionTimestamp, finalizers = [], name } = pod.metadata;
    if (!deletionTimestamp || finalizers.length > 0) return undefined;
    const { nodeName = "" } = pod.spec;
    const force = `kubectl delete pod ${name} --grace-period=0 --force`;
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
    if (lateMs < slackMs) return endsSlowly(pod, view);
    return {
      sentence: `its containers should have ended ${humanDuration(lateMs)} ago, but node ${nodeName} has not removed it${event ? `: ${oneLine(event.message, 160)}` : ""}`,
      certainty: event ? "proven" : "likely",
      since: deletionTimestamp,
      evidence: event ? [eventLine(event, view.nowMs)] : [],
      fix: ["k8ts logs kubelet", force],
    };
  },
});
