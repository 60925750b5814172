import { type DaemonSet, daemonSets } from "#/api/apps/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  type Column,
  type Decoded,
  type RequestContext,
  serve,
} from "../../../registry/strategy.ts";
import { dropDisabledPodFields } from "../../core/pod-spec/drop-disabled-fields.ts";
import { templateValidationOptions } from "../../core/pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "../../core/pod-spec/pod-warnings.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { countGeneration, startGeneration } from "../../rules/generation.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { templateColumns } from "../../workloads/container-columns.ts";
import { keepAnnotation } from "../../workloads/internal-annotation.ts";
import {
  generationAnnotation,
  setDaemonSetDefaults,
  setTemplateGeneration,
  templateGeneration,
} from "./defaults.ts";
import { validateDaemonSet, validateDaemonSetUpdate } from "./validate-daemon-set.ts";
import { validateDaemonSetStatus } from "./validate-status.ts";

const templatePath = fieldPath("spec", "template");

const columns: readonly Column<DaemonSet>[] = [
  nameColumn,
  { name: "Desired", type: "integer", cell: ({ status }) => status?.desiredNumberScheduled ?? 0 },
  { name: "Current", type: "integer", cell: ({ status }) => status?.currentNumberScheduled ?? 0 },
  { name: "Ready", type: "integer", cell: ({ status }) => status?.numberReady ?? 0 },
  {
    name: "Up-to-date",
    type: "integer",
    cell: ({ status }) => status?.updatedNumberScheduled ?? 0,
  },
  { name: "Available", type: "integer", cell: ({ status }) => status?.numberAvailable ?? 0 },
  {
    name: "Node Selector",
    type: "string",
    cell: ({ spec }) => formatLabels(spec.template.spec.nodeSelector),
  },
  ageColumn,
  ...templateColumns<DaemonSet>(
    ({ spec }) => spec.template.spec.containers,
    ({ spec }) => formatLabelSelector(spec.selector),
  ),
];

/** Upstream: pkg/registry/apps/daemonset/strategy.go. */
export const daemonSet = serve(daemonSets, {
  setDefaults: setDaemonSetDefaults,
  prepareForCreate(object, context) {
    object.status = noneScheduled();
    startGeneration(object);
    const given = templateGeneration(object.metadata);
    setTemplateGeneration(object.metadata, given < 1n ? 1n : given);
    dropDisabledPodFields(object.spec.template, undefined, context);
  },
  prepareForUpdate: prepareUpdate,
  validate: (object, context) => validateDaemonSet(object, templateValidationOptions(context)),
  validateUpdate: (object, old, context) =>
    validateDaemonSetUpdate(object, old, templateValidationOptions(context, old.spec.template)),
  warnings(object, old) {
    const same = old && templateGeneration(object.metadata) === templateGeneration(old.metadata);
    return same ? [] : podTemplateWarnings(object.spec.template, templatePath);
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepAnnotation(object.metadata, old.metadata, generationAnnotation);
    },
    validateUpdate: validateDaemonSetStatus,
    resetFields: ["spec"],
  },
  columns,
});

/** The template's own generation counts only changes of the template. */
function prepareUpdate(
  object: Decoded<DaemonSet>,
  old: Decoded<DaemonSet>,
  context: RequestContext,
): void {
  const { metadata, spec } = object;
  dropDisabledPodFields(spec.template, old.spec.template, context);
  keepStatus(object, old);
  const before = templateGeneration(old.metadata);
  const same = deepEqual(spec.template, old.spec.template);
  setTemplateGeneration(metadata, same ? before : before + 1n);
  countGeneration(object, old);
}

const noneScheduled = () => ({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

function formatLabels(labels: Readonly<Record<string, string>> = {}): string {
  const shown = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return shown.join(",") || "<none>";
}
