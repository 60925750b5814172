import { type Job, jobs } from "#/api/batch/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { type Column, serve } from "../../../registry/strategy.ts";
import { dropDisabledPodFields } from "../../core/pod-spec/drop-disabled-fields.ts";
import { templateValidationOptions } from "../../core/pod-spec/pod-validation-options.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { countGeneration, startGeneration } from "../../rules/generation.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { templateColumns } from "../../workloads/container-columns.ts";
import { hostNameWarnings } from "../../workloads/pod-template-rules.ts";
import { dropDisabledJobFields, jobSpecWarnings } from "../job-spec/job-spec-rules.ts";
import { setJobDefaults } from "./defaults.ts";
import { generateSelector } from "./generate-selector.ts";
import { validateJob } from "./validate-job.ts";
import { validateJobStatus } from "./validate-status.ts";
import { validateJobUpdate } from "./validate-update.ts";

const specPath = fieldPath("spec");

const columns: readonly Column<Job>[] = [
  nameColumn,
  { name: "Status", type: "string", cell: formatStatus },
  { name: "Completions", type: "string", cell: formatCompletions },
  { name: "Duration", type: "string", cell: formatDuration },
  ageColumn,
  ...templateColumns<Job>(
    ({ spec }) => spec.template.spec.containers,
    ({ spec }) => formatLabelSelector(spec.selector),
  ),
];

/** Upstream: pkg/registry/batch/job/strategy.go. */
export const job = serve(jobs, {
  garbageCollection: "orphan",
  deleteWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  setDefaults: setJobDefaults,
  prepareForCreate(object, context) {
    const { metadata, spec } = object;
    if (!spec.manualSelector) generateSelector(object);
    const { labels } = spec.template.metadata;
    if (metadata.labels === labels && labels) metadata.labels = { ...labels };
    object.status = {};
    startGeneration(object);
    if (!context.enabled("JobManagedBy")) delete spec.managedBy;
    dropDisabledJobFields(spec, undefined, context);
    dropDisabledPodFields(spec.template, undefined, context);
  },
  canonicalize({ metadata, spec }) {
    const { labels } = spec.template.metadata;
    if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabledJobFields(object.spec, old.spec, context);
    dropDisabledPodFields(object.spec.template, old.spec.template, context);
    countGeneration(object, old);
  },
  validate: (object, context) => validateJob(object, templateValidationOptions(context)),
  validateUpdate: (object, old, context) =>
    validateJobUpdate(object, old, templateValidationOptions(context, old.spec.template)),
  warnings({ metadata, spec }, old) {
    if (!old) return [...hostNameWarnings(metadata.name), ...jobSpecWarnings(spec, specPath)];
    return metadata.generation === old.metadata.generation ? [] : jobSpecWarnings(spec, specPath);
  },
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  unknownFieldMessage: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: (object, old, context) =>
      validateJobStatus(object, old, { strict: context.enabled("JobManagedBy") }),
    resetFields: ["spec"],
  },
  columns,
});

const shownConditions = [
  "Complete",
  "Failed",
  "Suspended",
  "FailureTarget",
  "SuccessCriteriaMet",
] as const;

function formatStatus({ metadata, status }: Job): string {
  const isTrue = (type: string): boolean => hasCondition(status?.conditions, type);
  const shown = shownConditions.find(isTrue);
  if (shown === "Complete" || shown === "Failed") return shown;
  return metadata.deletionTimestamp ? "Terminating" : (shown ?? "Running");
}

function formatCompletions({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec;
  const done = status?.succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function formatDuration({ status }: Job, now: number): string {
  const { startTime, completionTime } = status ?? {};
  if (!startTime) return "";
  return humanDuration((completionTime ? parseTime(completionTime) : now) - parseTime(startTime));
}
