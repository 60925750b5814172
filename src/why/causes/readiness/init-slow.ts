import { type Pod, pods } from "#/api/core/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { containersOf, hasEnded } from "../../facts/containers.ts";
import { logsLine } from "../../facts/crash.ts";

/** Limit of the time (ms) that an init container may take without being remarkable. */
const slowMs = 60_000;
/** Limit of the lines of its log in the evidence (count). */
const shownLines = 3;

/** An init container that goes on and on, as one that waits for another Service. */
export const initContainerSlow = cause<Pod>({
  name: "init-container-runs-on",
  layer: "containers",
  of: [pods],
  find(pod, view) {
    if (hasEnded(pod) || pod.metadata.deletionTimestamp) return undefined;
    const container = containersOf(pod).find(
      ({ role, status }) => role === "init" && status?.state?.running,
    );
    const since = container?.status?.state?.running?.startedAt;
    const ranMs = ageMs(since, view.nowMs);
    if (!container || ranMs < slowMs) return undefined;
    const log = view.log(pod, container.name, false).slice(-shownLines);
    return {
      sentence: `${container.label} has been running for ${humanDuration(ranMs)}, and the others start only after it has ended${log.length > 0 ? `; it says "${oneLine(log.at(-1) ?? "", 120)}"` : ""}`,
      certainty: "likely",
      since,
      evidence: log.map((line) => `  | ${line}`),
      fix: [logsLine(pod, container, false)],
    };
  },
});
