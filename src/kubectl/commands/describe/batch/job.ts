/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Job } from "#/api/batch/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { controllerOf, longTime } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { metadataOf } from "../parts/workload-parts.ts";

const describeJob: Describer = (to, { object }) => {
  const { spec, status } = object as unknown as Job;
  const metadata = metadataOf(object);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "Selector", compileLabelSelector(spec?.selector).toString());
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  const controller = controllerOf(metadata);
  if (controller !== "") to.field(0, "Controlled By", controller);
  if (spec?.parallelism !== undefined) to.field(0, "Parallelism", spec.parallelism);
  to.field(0, "Completions", spec?.completions ?? "<unset>");
  if (spec?.completionMode !== undefined) to.field(0, "Completion Mode", spec.completionMode);
  if (spec?.suspend !== undefined) to.field(0, "Suspend", spec.suspend);
  if (spec?.backoffLimit !== undefined) to.field(0, "Backoff Limit", spec.backoffLimit);
  if (spec?.ttlSecondsAfterFinished !== undefined) {
    to.field(0, "TTL Seconds After Finished", spec.ttlSecondsAfterFinished);
  }
  const { startTime, completionTime, ready } = status ?? {};
  if (startTime) to.field(0, "Start Time", longTime(startTime));
  if (completionTime) to.field(0, "Completed At", longTime(completionTime));
  if (startTime && completionTime) {
    to.field(0, "Duration", humanDuration(parseTime(completionTime) - parseTime(startTime)));
  }
  if (spec?.activeDeadlineSeconds !== undefined) {
    to.field(0, "Active Deadline Seconds", `${spec.activeDeadlineSeconds}s`);
  }
  const { active = 0, succeeded = 0, failed = 0 } = status ?? {};
  const readyText = ready === undefined ? "" : ` (${ready} Ready)`;
  to.field(
    0,
    "Pods Statuses",
    `${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`,
  );
  if (spec?.completionMode === "Indexed") {
    to.field(0, "Completed Indexes", status?.completedIndexes || "<none>");
  }
  describeTemplate(to, spec?.template);
};

export const job: KindDescriber = { describe: describeJob };
