import {
  type CompositePodGroup,
  type CompositePodGroupSpec,
  compositePodGroups,
} from "#/api/scheduling/v1alpha3.ts";
import { validateConditions } from "#/machinery/conditions.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/names.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../age.ts";
import { FieldReport } from "../core/pod-spec/field-report.ts";
import { validateDeclared } from "../declared-rules.ts";
import { keepMetadata } from "../keep-metadata.ts";
import { keepSpec, keepStatus } from "../keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import { compositePodGroupSpec } from "./group-rules.ts";

const specPath = fieldPath("spec");

/** Upstream: pkg/registry/scheduling/compositepodgroup/strategy.go, pkg/apis/scheduling/validation/validation.go. */
export const compositePodGroup = serve(compositePodGroups, {
  gate: "CompositePodGroup",
  allowUnconditionalUpdate: false,
  setDefaults({ spec }) {
    spec.disruptionMode ??= { single: {} };
  },
  prepareForCreate(object, context) {
    object.status = {};
    preparePreemption(object.spec, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    preparePreemption(object.spec, old.spec, context);
  },
  validate(object, context) {
    const report = new FieldReport();
    report.add(validateNamespacedMeta(object.metadata, nameIsDNSSubdomain));
    validateSpec(report, object, undefined, context);
    return report.errors;
  },
  validateUpdate(object, old, context) {
    const report = new FieldReport();
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    validateSpec(report, object, old, context);
    return report.errors;
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
    },
    validateUpdate: ({ metadata, status }, old) => [
      ...validateMetaUpdate(metadata, old.metadata),
      ...validateConditions(status?.conditions, fieldPath("status", "conditions")),
    ],
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    {
      name: "Policy",
      type: "string",
      cell: ({ spec }) => (spec.schedulingPolicy.gang ? "Gang" : "Basic"),
    },
    {
      name: "Workload",
      type: "string",
      cell: ({ spec }) => spec.workloadRef?.workloadName ?? "<none>",
    },
    ageColumn,
  ],
});

function preparePreemption(
  spec: CompositePodGroupSpec,
  old: CompositePodGroupSpec | undefined,
  context: RequestContext,
): void {
  if (context.enabled("PodGroupPreemptionPolicy")) spec.preemptionPolicy ??= "PreemptLowerPriority";
  else if (old?.preemptionPolicy === undefined) delete spec.preemptionPolicy;
}

function validateSpec(
  report: FieldReport,
  { spec: value }: Decoded<CompositePodGroup>,
  old: Decoded<CompositePodGroup> | undefined,
  context: RequestContext,
): void {
  const scope = { isUpdate: old !== undefined, enabled: context.enabled };
  const change = { value, old: old?.spec, rules: compositePodGroupSpec };
  validateDeclared(report, specPath, change, scope);
}
