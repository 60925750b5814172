import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { containersOf, isCrashing } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";
import { startFailure } from "../../facts/start-failure.ts";

/** The message of the event hides the command, as it may be confidential. */
export const postStart = cause<Pod>({
  name: "post-start-hook",
  layer: "containers",
  group: "start",
  of: [pods],
  find(pod, view) {
    const event = podEvent(pod, view, ["FailedPostStartHook"]);
    const failure = startFailure(pod);
    const container =
      failure?.reason === "PostStartHookError"
        ? failure.container
        : containersOf(pod).find(
            (one) =>
              one.spec.lifecycle?.postStart !== undefined && isCrashing(one, pod, view.nowMs),
          );
    if (!container || (!event && failure?.reason !== "PostStartHookError")) return undefined;
    const said = failure?.text ? `: ${oneLine(failure.text, 160)}` : "";
    return {
      sentence: `the postStart hook of ${container.label} fails, so the kubelet ends it each time${said}`,
      evidence: event ? [eventLine(event, view.nowMs)] : [],
      fix: ["# correct lifecycle.postStart of the container"],
    };
  },
});
