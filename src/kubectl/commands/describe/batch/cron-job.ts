/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { CronJob } from "#/api/batch/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { longTime } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";

const describeCronJob: Describer = (to, { object }) => {
  const { spec, status } = object as unknown as CronJob;
  to.head(object.metadata);
  to.field(0, "Schedule", spec?.schedule ?? "");
  to.field(0, "Concurrency Policy", spec?.concurrencyPolicy ?? "");
  to.field(0, "Suspend", spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False");
  to.field(0, "Time Zone", spec?.timeZone ?? "<unset>");
  to.field(0, "Successful Job History Limit", spec?.successfulJobsHistoryLimit ?? "<unset>");
  to.field(0, "Failed Job History Limit", spec?.failedJobsHistoryLimit ?? "<unset>");
  const deadline = spec?.startingDeadlineSeconds;
  to.field(0, "Starting Deadline Seconds", deadline === undefined ? "<unset>" : `${deadline}s`);
  const template = spec?.jobTemplate?.spec;
  to.field(
    0,
    "Selector",
    template?.selector ? compileLabelSelector(template.selector).toString() : "<unset>",
  );
  to.field(0, "Parallelism", template?.parallelism ?? "<unset>");
  to.field(0, "Completions", template?.completions ?? "<unset>");
  if (template?.activeDeadlineSeconds !== undefined) {
    to.field(0, "Active Deadline Seconds", `${template.activeDeadlineSeconds}s`);
  }
  describeTemplate(to, template?.template);
  const last = status?.lastScheduleTime;
  to.field(0, "Last Schedule Time", last ? longTime(last) : "<unset>");
  to.field(0, "Active Jobs", (status?.active ?? []).map(({ name }) => name).join(", ") || "<none>");
};

export const cronJob: KindDescriber = { describe: describeCronJob };
