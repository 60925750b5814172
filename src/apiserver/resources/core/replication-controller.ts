import {
  type ReplicationController,
  type ReplicationControllerSpec,
  replicationControllers,
} from "#/api/core/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { isLongName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { type Column, type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { withDeclaredName } from "../rules/declared-rules.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { templateColumns } from "../workloads/container-columns.ts";
import {
  hostNameWarnings,
  validateMatch,
  validateRunsForever,
} from "../workloads/pod-template-rules.ts";
import { validateAtMost, validateCounts } from "../workloads/status-counts.ts";
import type { PodValidationOptions } from "./pod-spec/base/pod-gates.ts";
import { dropDisabledPodFields } from "./pod-spec/drop-disabled-fields.ts";
import { setPodTemplateDefaults } from "./pod-spec/pod-defaults.ts";
import { templateValidationOptions } from "./pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "./pod-spec/pod-warnings.ts";
import { validatePodTemplateSpec } from "./pod-spec/validate-pod-template.ts";

const specPath = fieldPath("spec");
const templatePath = specPath.child("template");
const statusPath = fieldPath("status");
const declaredFields: ReadonlySet<string> = new Set(["spec.replicas", "spec.minReadySeconds"]);

const columns: readonly Column<ReplicationController>[] = [
  nameColumn,
  { name: "Desired", type: "integer", cell: ({ spec }) => spec.replicas ?? 0 },
  { name: "Current", type: "integer", cell: ({ status }) => status?.replicas ?? 0 },
  { name: "Ready", type: "integer", cell: ({ status }) => status?.readyReplicas ?? 0 },
  ageColumn,
  ...templateColumns<ReplicationController>(
    ({ spec }) => spec.template?.spec.containers,
    ({ spec }) => formatLabels(spec.selector),
  ),
];

/** Upstream: pkg/registry/core/replicationcontroller/strategy.go, pkg/apis/core/validation/validation.go. */
export const replicationController = serve(replicationControllers, {
  storageName: "controllers",
  setDefaults({ metadata, spec }) {
    const labels = spec.template?.metadata.labels;
    if (labels && !hasEntries(spec.selector)) spec.selector = { ...labels };
    if (labels && !hasEntries(metadata.labels)) metadata.labels = { ...labels };
    spec.replicas ??= 1;
    if (spec.template) setPodTemplateDefaults(spec.template);
  },
  prepareForCreate(object, context) {
    object.status = { replicas: 0 };
    startGeneration(object);
    if (object.spec.template) dropDisabledPodFields(object.spec.template, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    if (object.spec.template) {
      dropDisabledPodFields(object.spec.template, old.spec.template, context);
    }
    countGeneration(object, old);
  },
  validate(object, context) {
    const errors = [
      ...validateNamespacedMeta(object.metadata, (name, prefix) =>
        prefix ? nameIsDNSSubdomain(name, prefix) : isLongName(name),
      ),
      ...validateSpec(object.spec, templateValidationOptions(context)),
    ];
    return withDeclaredName(
      errors,
      errors.filter(({ field }) => declaredFields.has(field)),
    );
  },
  validateUpdate,
  warnings(object, old) {
    const { template } = object.spec;
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return [
      ...(old ? [] : hostNameWarnings(object.metadata.name)),
      ...(template ? podTemplateWarnings(template, templatePath) : []),
    ];
  },
  selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  unknownFieldMessage: (field) => `field label not supported: ${field}`,
  garbageCollection: "orphan",
  resetFields: ["status"],
  status: { prepareForUpdate: keepSpec, validateUpdate: validateStatus, resetFields: ["spec"] },
  scale: {
    replicas: ({ spec }) => spec.replicas ?? 0,
    setReplicas({ spec }, replicas) {
      spec.replicas = replicas;
    },
    statusReplicas: ({ status }) => status?.replicas ?? 0,
    selector: ({ spec }) => selectorFromLabels(spec.selector).toString(),
  },
  columns,
});

const hasEntries = (record: object | undefined): boolean =>
  record !== undefined && Object.keys(record).length > 0;

function validateUpdate(
  object: Decoded<ReplicationController>,
  old: Decoded<ReplicationController>,
  context: RequestContext,
): FieldError[] {
  const options = templateValidationOptions(context, old.spec.template);
  return [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(object.spec, options),
  ];
}

/** Upstream checks the numbers last, by declared rules of the type. */
function validateSpec(
  spec: ReplicationControllerSpec,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  if (!hasEntries(spec.selector)) report.required(specPath, "selector");
  if (spec.template === undefined) report.required(specPath, "template");
  else {
    if (hasEntries(spec.selector)) {
      validateMatch(report, templatePath, spec.template, selectorFromLabels(spec.selector));
    }
    report.add(validatePodTemplateSpec(spec.template, templatePath, options));
    validateRunsForever(report, templatePath, spec.template, "ReplicationController");
  }
  report.nonNegative(specPath, "replicas", spec.replicas);
  report.nonNegative(specPath, "minReadySeconds", spec.minReadySeconds);
  return report.errors;
}

function validateStatus(
  object: Decoded<ReplicationController>,
  old: Decoded<ReplicationController>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(object.metadata, old.metadata));
  const status = object.status ?? {};
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  validateCounts(report, statusPath, status, ["replicas", ...parts, "observedGeneration"]);
  validateAtMost(report, statusPath, status, {
    fields: parts,
    limit: "replicas",
    limitName: "status.replicas",
  });
  validateAtMost(report, statusPath, status, {
    fields: ["availableReplicas"],
    limit: "readyReplicas",
    limitName: "readyReplicas",
  });
  return report.errors;
}
