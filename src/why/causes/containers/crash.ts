import { jobs } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { oneLine } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { crashCause, logLine, restartsText, telling } from "../../facts/crash.ts";

/** Of the group's causes the last: any other end. */
export const crash = crashCause({
  name: "container-crash",
  applies: () => true,
  explain: (found, pod, view) => {
    const { container, exitCode, log, message, restarts } = found;
    const last = logLine(log, message, telling) ?? log.at(-1) ?? message.split("\n").at(-1) ?? "";
    const says = last === "" ? "" : `; it says "${oneLine(last, 120)}"`;
    const again = restarts > 0 ? " again and again" : "";
    return {
      sentence: `${container.label} crashes: its program ends with exit code ${exitCode}${again}${restartsText(found)}${policyText(pod, view)}${says}`,
    };
  },
});

/** Of a Pod of a Job: whether the Job is not tried again for the exit code. */
function policyText({ metadata }: Pod, view: View): string {
  const { kind, name = "" } = findControllerReference({ metadata }) ?? {};
  if (kind !== jobs.kind) return "";
  const { status } = view.get(jobs, { namespace: metadata.namespace, name }) ?? {};
  return (status?.conditions ?? []).some(({ reason }) => reason === "PodFailurePolicy")
    ? ", and a rule of its Job's podFailurePolicy ends the Job for that"
    : "";
}
