import { podGroups as podGroupsAlpha } from "#/api/scheduling/v1alpha3.ts";
import { type PodGroup, type PodGroupSpec, podGroups } from "#/api/scheduling/v1beta1.ts";
import { findCondition, validateConditions } from "#/machinery/meta/conditions.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateDeclared } from "../rules/declared-rules.ts";
import { declaredSpec } from "../rules/declared-spec.ts";
import { FieldReport } from "../rules/field-report.ts";
import { keepMetadata } from "../rules/keep-metadata.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { groupColumns } from "./group-columns.ts";
import { podGroupSpec, podGroupStatus } from "./group-rules.ts";

const statusPath = fieldPath("status");

/** Fields of features that may be disabled. */
const gatedFields: readonly (readonly [gate: string, field: keyof PodGroupSpec])[] = [
  ["TopologyAwareWorkloadScheduling", "schedulingConstraints"],
  ["DRAWorkloadResourceClaims", "resourceClaims"],
  ["PodGroupPreemptionPolicy", "preemptionPolicy"],
  ["CompositePodGroup", "parentCompositePodGroupName"],
];

/** Upstream: pkg/registry/scheduling/podgroup/strategy.go, pkg/apis/scheduling/validation/validation.go. */
export const podGroup = serve(podGroups, {
  gate: "GenericWorkload",
  versions: [{ handle: podGroupsAlpha }],
  allowUnconditionalUpdate: false,
  setDefaults({ spec }) {
    spec.disruptionMode ??= { single: {} };
  },
  prepareForCreate(object, context) {
    object.status = {};
    dropDisabled(object.spec, undefined, context);
    defaultPreemption(object.spec, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabled(object.spec, old.spec, context);
    defaultPreemption(object.spec, context);
  },
  ...declaredSpec<PodGroup>(podGroupSpec, { first: validateParent }),
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old, context) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
      const claims = old.spec.resourceClaims?.length ?? 0;
      if (claims === 0 && !context.enabled("DRAWorkloadResourceClaims")) {
        delete object.status?.resourceClaimStatuses;
      }
    },
    validateUpdate: validateStatus,
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    ...groupColumns,
    { name: "Status", type: "string", cell: formatStatus },
    ageColumn,
  ],
});

function dropDisabled(
  spec: PodGroupSpec,
  old: PodGroupSpec | undefined,
  context: RequestContext,
): void {
  for (const [gate, field] of gatedFields) {
    if (old?.[field] === undefined && !context.enabled(gate)) delete spec[field];
  }
}

function defaultPreemption(spec: PodGroupSpec, context: RequestContext): void {
  if (context.enabled("PodGroupPreemptionPolicy")) spec.preemptionPolicy ??= "PreemptLowerPriority";
}

function validateParent(report: FieldReport, { spec }: PodGroup, old: PodGroup | undefined): void {
  const { parentCompositePodGroupName: parent, workloadRef } = spec;
  if (old || parent === undefined || workloadRef !== undefined) return;
  const detail = "must be set when parentCompositePodGroupName is set";
  report.required(fieldPath("spec"), "workloadRef", detail);
}

function validateStatus(
  { metadata, spec, status = {} }: Decoded<PodGroup>,
  old: Decoded<PodGroup>,
  context: RequestContext,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  report.add(validateConditions(status.conditions, statusPath.child("conditions")));
  const claims = new Set(spec.resourceClaims?.map(({ name }) => name));
  status.resourceClaimStatuses?.forEach(({ name }, index) => {
    if (claims.has(name)) return;
    const at = statusPath.child("resourceClaimStatuses").index(index);
    report.invalid(at, "name", name, "must match the name of an entry in `spec.resourceClaims`");
  });
  const change = { value: status, old: old.status ?? {}, rules: podGroupStatus };
  validateDeclared(report, statusPath, change, { isUpdate: true, enabled: context.enabled });
  return report.errors;
}

function formatStatus({ status }: PodGroup): string {
  const disrupted = findCondition(status?.conditions, "DisruptionTarget");
  if (disrupted) return disrupted.reason;
  const scheduled = findCondition(status?.conditions, "PodGroupInitiallyScheduled");
  if (!scheduled) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}
