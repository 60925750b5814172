import { workloads as workloadsAlpha } from "#/api/scheduling/v1alpha3.ts";
import {
  type CompositePodGroupTemplate,
  type PodGroupTemplate,
  type Workload,
  type WorkloadSpec,
  workloads,
} from "#/api/scheduling/v1beta1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import { type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { declaredSpec } from "../rules/declared-spec.ts";
import { workloadSpec } from "./group-rules.ts";
import { validateTemplates } from "./validate-templates.ts";

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
  ...declaredSpec<Workload>(workloadSpec, {
    first: (report, { spec }) => validateTemplates(report, fieldPath("spec"), spec),
  }),
  columns: [nameColumn, ageColumn],
});

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
  const beforeByName = firstByKey(before, ({ name }) => name);
  for (const template of composites) {
    const oldTemplate = beforeByName.get(template.name);
    dropPreemption(template, oldTemplate, context);
    dropDisabled(template, oldTemplate, context);
  }
  spec.podGroupTemplates?.forEach((template, index) => {
    const oldTemplate = old?.podGroupTemplates?.[index];
    if (
      !oldTemplate?.schedulingConstraints &&
      !context.enabled("TopologyAwareWorkloadScheduling")
    ) {
      delete template.schedulingConstraints;
    }
    if (!oldTemplate?.resourceClaims?.length && !context.enabled("DRAWorkloadResourceClaims")) {
      delete template.resourceClaims;
    }
    dropPreemption(template, oldTemplate, context);
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
