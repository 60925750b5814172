import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { timeOf } from "../../base/text.ts";
import { containersOf } from "../../facts/containers.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Limit of the time (ms) that a hook takes without being remarkable. */
const slowMs = 20_000;

/** A hook that has not ended: until then the kubelet neither calls the container running nor starts the next one. */
export const postStartSlow = cause<Pod>({
  name: "post-start-hook-runs",
  layer: "containers",
  group: "start",
  of: [pods],
  find(pod, view) {
    const waiting = containersOf(pod).find(
      ({ spec, status }) =>
        spec.lifecycle?.postStart !== undefined &&
        status?.state?.waiting?.reason === "ContainerCreating",
    );
    if (!waiting) return undefined;
    const started = view.events(pods, pod).find(({ reason }) => reason === "Started");
    const ended = view.events(pods, pod).find(({ reason }) => reason === "FailedPostStartHook");
    if (!started || view.nowMs - started.lastMs < slowMs) return undefined;
    if (ended && ended.lastMs > started.lastMs) return undefined;
    return {
      sentence: `the postStart hook of ${waiting.label} has not ended, and until then it does not count as running`,
      since: timeOf(started.lastMs),
      evidence: [eventLine(started, view.nowMs)],
      fix: ["# correct lifecycle.postStart: it must end soon"],
    };
  },
});
