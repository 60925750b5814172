import { workloads as workloadsAlpha } from "#/api/scheduling/v1alpha3.ts";
import {
  type CompositePodGroupTemplate,
  type PodGroupTemplate,
  type Workload,
  type WorkloadSpec,
  workloads,
} from "#/api/scheduling/v1beta1.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/names.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../age.ts";
import { FieldReport } from "../core/pod-spec/field-report.ts";
import { validateDeclared } from "../declared-rules.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import { workloadSpec } from "./group-rules.ts";
import { validateTemplates } from "./validate-templates.ts";

const specPath = fieldPath("spec");

/** Upstream: pkg/registry/scheduling/workload/strategy.go, pkg/apis/scheduling/validation/validation.go. */
export const workload = serve(workloads, {
  gate: "GenericWorkload",
  versions: [{ handle: workloadsAlpha }],
  allowUnconditionalUpdate: false,
  prepareForCreate({ spec }, context) {
    dropDisabled(spec, undefined, context);
  },
  prepareForUpdate({ spec }, old, context) {
    dropDisabled(spec, old.spec, context);
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
  columns: [nameColumn, ageColumn],
});

function validateSpec(
  report: FieldReport,
  { spec: value }: Decoded<Workload>,
  old: Decoded<Workload> | undefined,
  context: RequestContext,
): void {
  validateTemplates(report, specPath, value);
  const scope = { isUpdate: old !== undefined, enabled: context.enabled };
  validateDeclared(report, specPath, { value, old: old?.spec, rules: workloadSpec }, scope);
}

function dropDisabled(
  spec: WorkloadSpec | CompositePodGroupTemplate,
  old: WorkloadSpec | CompositePodGroupTemplate | undefined,
  context: RequestContext,
): void {
  const before = old?.compositePodGroupTemplates ?? [];
  const composites = spec.compositePodGroupTemplates ?? [];
  if (before.length === 0 && !context.enabled("CompositePodGroup")) {
    delete spec.compositePodGroupTemplates;
  }
  for (const template of composites) {
    const twin = before.find(({ name }) => name === template.name);
    dropPreemption(template, twin, context);
    dropDisabled(template, twin, context);
  }
  spec.podGroupTemplates?.forEach((template, index) => {
    const twin = old?.podGroupTemplates?.[index];
    if (!twin?.schedulingConstraints && !context.enabled("TopologyAwareWorkloadScheduling")) {
      delete template.schedulingConstraints;
    }
    if (!twin?.resourceClaims?.length && !context.enabled("DRAWorkloadResourceClaims")) {
      delete template.resourceClaims;
    }
    dropPreemption(template, twin, context);
  });
}

function dropPreemption(
  template: PodGroupTemplate | CompositePodGroupTemplate,
  old: PodGroupTemplate | CompositePodGroupTemplate | undefined,
  context: RequestContext,
): void {
  if (old?.preemptionPolicy === undefined && !context.enabled("PodGroupPreemptionPolicy")) {
    delete template.preemptionPolicy;
  }
}
