import { type Pod, pods } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { containersOf, hasEnded, isReady } from "../../facts/containers.ts";

/** Limit of the time (ms) that a running container may take to become ready without being remarkable. */
const slowMs = 60_000;

/** A Pod that runs, is not ready, and no event says why. */
export const notReady = cause<Pod>({
  name: "not-ready",
  layer: "readiness",
  isFallback: true,
  of: [pods],
  find(pod, view) {
    const ready = findCondition(pod.status?.conditions, "Ready");
    if (isReady(pod) || hasEnded(pod) || pod.metadata.deletionTimestamp || !ready) return undefined;
    const runs = containersOf(pod).some(({ status }) => status?.state?.running);
    if (!runs || ageMs(ready.lastTransitionTime, view.nowMs) < slowMs) return undefined;
    return {
      sentence: `it runs, but is not ready (${ready.reason ?? "no reason given"})${ready.message ? `: ${oneLine(ready.message, 160)}` : ""}`,
      certainty: "likely",
      since: ready.lastTransitionTime,
      evidence: (pod.status?.conditions ?? []).map((one) => conditionLine(one, view.nowMs)),
      fix: [`kubectl describe pod ${pod.metadata.name}`],
    };
  },
});
