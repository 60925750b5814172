import { leases } from "#/api/coordination/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import { hasEnded, isScheduled } from "../../facts/containers.ts";

/** Limit of the time (ms) in which a scheduler takes up a new Pod, even when it is busy. */
const takeUpMs = 10_000;
/** Limit of the age (ms) of the lease of a scheduler that runs. */
const leaseMs = 30_000;
const defaultScheduler = "default-scheduler";

/** No scheduler has looked at the Pod: it has no condition. */
export const noScheduler = cause<Pod>({
  name: "no-scheduler",
  layer: "scheduling",
  isFallback: true,
  of: [pods],
  find(pod, view) {
    if (isScheduled(pod) || hasEnded(pod) || pod.metadata.deletionTimestamp) return undefined;
    if (findCondition(pod.status?.conditions, "PodScheduled")) return undefined;
    const waitedMs = ageMs(pod.metadata.creationTimestamp, view.nowMs);
    if (waitedMs < takeUpMs) return undefined;
    const { schedulerName = defaultScheduler } = pod.spec;
    const since = pod.metadata.creationTimestamp;
    if (schedulerName !== defaultScheduler) {
      return {
        sentence: `no scheduler named "${schedulerName}" has taken it up: its schedulerName is wrong, or that scheduler does not run`,
        since,
        fix: [`# leave spec.schedulerName out: the default is ${defaultScheduler}`],
      };
    }
    const ref = { namespace: "kube-system", name: "kube-scheduler" };
    const lease = view.get(leases, ref);
    const silentMs = ageMs(lease?.spec?.renewTime, view.nowMs);
    return {
      sentence: `the scheduler has not looked at it for ${humanDuration(waitedMs)}: it does not run, or is far behind`,
      certainty: silentMs > leaseMs ? "proven" : "likely",
      since,
      evidence: lease ? [`its lease was renewed ${humanDuration(silentMs)} ago`] : [],
      fix: ["k8ts status", "k8ts logs kube-scheduler"],
    };
  },
});
