import { type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import type { PodTemplateSpec } from "#/api/core/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Column, type Decoded, serve } from "../../registry/strategy.ts";
import type { PodValidationOptions } from "../core/pod-spec/base/pod-gates.ts";
import { dropDisabledPodFields } from "../core/pod-spec/drop-disabled-fields.ts";
import { setPodTemplateDefaults } from "../core/pod-spec/pod-defaults.ts";
import { templateValidationOptions } from "../core/pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "../core/pod-spec/pod-warnings.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { templateColumns } from "../workloads/container-columns.ts";
import { hostNameWarnings, shownSelector } from "../workloads/pod-template-rules.ts";
import { validateAtMost, validateCounts } from "../workloads/status-counts.ts";
import { validateReplicatedPods } from "../workloads/validate-replicated-pods.ts";

const specPath = fieldPath("spec");
const statusPath = fieldPath("status");
const templatePath = specPath.child("template");

const columns: readonly Column<ReplicaSet>[] = [
  nameColumn,
  { name: "Desired", type: "integer", cell: ({ spec }) => spec.replicas ?? 0 },
  { name: "Current", type: "integer", cell: ({ status }) => status?.replicas ?? 0 },
  { name: "Ready", type: "integer", cell: ({ status }) => status?.readyReplicas ?? 0 },
  ageColumn,
  ...templateColumns<ReplicaSet>(
    (object) => templateOf(object).spec.containers,
    ({ spec }) => formatLabelSelector(spec.selector),
  ),
];

/** Upstream: pkg/registry/apps/replicaset/strategy.go, pkg/apis/apps/validation/validation.go. */
export const replicaSet = serve(replicaSets, {
  setDefaults({ spec }) {
    spec.replicas ??= 1;
    spec.template ??= { metadata: {}, spec: { containers: [] } };
    setPodTemplateDefaults(spec.template);
  },
  prepareForCreate(object, context) {
    object.status = { replicas: 0 };
    startGeneration(object);
    dropDisabledPodFields(templateOf(object), undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabledPodFields(templateOf(object), old.spec.template, context);
    countGeneration(object, old);
  },
  validate: (object, context) => [
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateSpec(object, templateValidationOptions(context)),
  ],
  validateUpdate: (object, old, context) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(object, templateValidationOptions(context, old.spec.template), old),
  ],
  warnings(object, old) {
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return [
      ...(old ? [] : hostNameWarnings(object.metadata.name)),
      ...podTemplateWarnings(templateOf(object), templatePath),
    ];
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old, context) {
      keepSpec(object, old);
      const counts = context.enabled("DeploymentReplicaSetTerminatingReplicas");
      if (!counts && old.status?.terminatingReplicas === undefined) {
        delete object.status?.terminatingReplicas;
      }
    },
    validateUpdate: validateStatus,
    resetFields: ["spec"],
  },
  scale: {
    specReplicas: ".spec.replicas",
    statusReplicas: ".status.replicas",
    selector: ".spec.selector",
  },
  columns,
});

/** The template; it is always set after defaulting. */
const templateOf = ({ spec }: Decoded<ReplicaSet>): PodTemplateSpec =>
  spec.template ?? { metadata: {}, spec: { containers: [] } };

function validateSpec(
  object: Decoded<ReplicaSet>,
  options: PodValidationOptions,
  old?: Decoded<ReplicaSet>,
): FieldError[] {
  const report = new FieldReport();
  const { replicas, minReadySeconds, selector } = object.spec;
  report.nonNegative(specPath, "replicas", replicas);
  report.nonNegative(specPath, "minReadySeconds", minReadySeconds);
  validateReplicatedPods(report, specPath, { selector, template: templateOf(object) }, options);
  if (old && !deepEqual(selector, old.spec.selector)) {
    report.invalid(specPath, "selector", shownSelector(selector), immutableMessage);
  }
  return report.errors;
}

const counts = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
];

function validateStatus(
  { metadata, status = { replicas: 0 } }: Decoded<ReplicaSet>,
  old: Decoded<ReplicaSet>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  validateCounts(report, statusPath, status, counts);
  validateAtMost(report, statusPath, status, {
    fields: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
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
