import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import { containersOf, hasEnded, isReady } from "../../facts/containers.ts";
import { probeText } from "../../facts/probe-failure.ts";

/** Limit of a delay (s) that is not remarkable. */
const longSeconds = 60;

/** A probe that begins late: until then the container is not ready. */
export const probeDelay = cause<Pod>({
  name: "probe-begins-late",
  layer: "readiness",
  of: [pods],
  find(pod, view) {
    if (isReady(pod) || hasEnded(pod) || pod.metadata.deletionTimestamp) return undefined;
    const found = containersOf(pod).find(({ spec, status }) => {
      const delay = spec.readinessProbe?.initialDelaySeconds ?? 0;
      const { running } = status?.state ?? {};
      const isEarly = running && ageMs(running.startedAt, view.nowMs) < delay * 1000;
      return delay >= longSeconds && isEarly && !status?.ready;
    });
    const probe = found?.spec.readinessProbe;
    if (!found || !probe) return undefined;
    return {
      sentence: `the readiness probe of ${found.label} first runs ${probe.initialDelaySeconds} s after its start (initialDelaySeconds), and until then it is not ready`,
      since: found.status?.state?.running?.startedAt,
      evidence: [`the probe: ${probeText(probe)}`],
      fix: ["# lower initialDelaySeconds: a probe that fails early does no harm"],
    };
  },
});
