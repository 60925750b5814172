import { type CronJob, cronJobs } from "#/api/batch/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Column, type Decoded, serve } from "../../../registry/strategy.ts";
import { dropDisabledPodFields } from "../../core/pod-spec/drop-disabled-fields.ts";
import { templateValidationOptions } from "../../core/pod-spec/pod-validation-options.ts";
import { ageColumn, nameColumn, timeSince } from "../../rules/age.ts";
import { countGeneration, startGeneration } from "../../rules/generation.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { templateColumns } from "../../workloads/container-columns.ts";
import { hostNameWarnings } from "../../workloads/pod-template-rules.ts";
import { setJobSpecDefaults } from "../job/defaults.ts";
import { dropDisabledJobFields, jobSpecWarnings } from "../job-spec/job-spec-rules.ts";
import { validateCronJob, validateCronJobUpdate } from "./validate-cron-job.ts";

const jobSpecPath = fieldPath("spec", "jobTemplate", "spec");

const columns: readonly Column<CronJob>[] = [
  nameColumn,
  { name: "Schedule", type: "string", cell: ({ spec }) => spec.schedule },
  { name: "Timezone", type: "string", cell: ({ spec }) => spec.timeZone ?? "<none>" },
  { name: "Suspend", type: "boolean", cell: ({ spec }) => formatBoolean(spec.suspend) },
  { name: "Active", type: "integer", cell: ({ status }) => status?.active?.length ?? 0 },
  {
    name: "Last Schedule",
    type: "string",
    cell: ({ status }, now) =>
      status?.lastScheduleTime ? timeSince(status.lastScheduleTime, now) : "<none>",
  },
  ageColumn,
  ...templateColumns<CronJob>(
    ({ spec }) => spec.jobTemplate.spec.template.spec.containers,
    ({ spec }) => formatLabelSelector(spec.jobTemplate.spec.selector),
  ),
];

/** Upstream: pkg/registry/batch/cronjob/strategy.go, pkg/apis/batch/v1/defaults.go. */
export const cronJob = serve(cronJobs, {
  setDefaults({ spec }) {
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    setJobSpecDefaults(spec.jobTemplate.spec);
  },
  prepareForCreate(object, context) {
    object.status = {};
    startGeneration(object);
    const { spec } = object.spec.jobTemplate;
    dropDisabledJobFields(spec, undefined, context);
    dropDisabledPodFields(spec.template, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    const [{ spec }, { spec: before }] = [object.spec.jobTemplate, old.spec.jobTemplate];
    dropDisabledJobFields(spec, before, context);
    dropDisabledPodFields(spec.template, before.template, context);
    countGeneration(object, old);
  },
  validate: (object, context) => validateCronJob(object, templateValidationOptions(context)),
  validateUpdate: (object, old, context) => {
    const { template } = old.spec.jobTemplate.spec;
    return validateCronJobUpdate(object, old, templateValidationOptions(context, template));
  },
  warnings,
  resetFields: ["status"],
  status: { prepareForUpdate: keepSpec, resetFields: ["spec"] },
  columns,
});

function warnings(object: Decoded<CronJob>, old: Decoded<CronJob> | undefined): string[] {
  const { metadata, spec } = object;
  const ofJobs = (): string[] => jobSpecWarnings(spec.jobTemplate.spec, jobSpecPath);
  if (!old) return [...hostNameWarnings(metadata.name), ...ofJobs()];
  const found = metadata.generation === old.metadata.generation ? [] : ofJobs();
  if (spec.schedule.includes("TZ")) {
    found.push(
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    );
  }
  return found;
}

function formatBoolean(value: boolean | undefined): string {
  if (value === undefined) return "<unset>";
  return value ? "True" : "False";
}
