import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { count, timeOf } from "../../base/text.ts";
import { connectionFailure } from "../../facts/connection-failure.ts";
import { containersOf, hasEnded, isReady } from "../../facts/containers.ts";
import { eventLine, podEvent } from "../../facts/pod-events.ts";
import { probeResult, probeText } from "../../facts/probe-failure.ts";

/** A container that runs, and whose readiness or startup probe fails. */
export const readinessProbe = cause<Pod>({
  name: "readiness-probe-fails",
  layer: "readiness",
  of: [pods],
  find(pod, view) {
    if (isReady(pod) || hasEnded(pod) || pod.metadata.deletionTimestamp) return undefined;
    const unready = containersOf(pod).filter(
      ({ status }) => status?.state?.running && (!status.ready || status.started === false),
    );
    for (const container of unready) {
      const starts =
        container.status?.started === false && container.spec.startupProbe !== undefined;
      const kind = starts ? "Startup" : "Readiness";
      const probe = starts ? container.spec.startupProbe : container.spec.readinessProbe;
      if (!probe) continue;
      const event = podEvent(pod, view, ["Unhealthy"], (text) => text.startsWith(kind));
      if (!event) continue;
      return {
        sentence: `the ${kind.toLowerCase()} probe of ${container.label} fails: ${probeResult(event.message, container.spec, probe)}`,
        since: timeOf(event.firstMs),
        evidence: [
          `${container.label} runs, but is not ready (failed ${count(event.count, "time")})`,
          eventLine(event, view.nowMs),
          `the probe: ${probeText(probe)}`,
        ],
        fix: [
          `kubectl logs ${pod.metadata.name} -c ${container.name}`,
          "# correct the probe's path and port, or what the program answers",
          ...(connectionFailure(event.message)?.includes("refused")
            ? [
                "# a program that listens on 127.0.0.1 only refuses the probe, too: let it listen on 0.0.0.0",
              ]
            : []),
        ],
      };
    }
    return undefined;
  },
});
