import { type CompositePodGroupSpec, compositePodGroups } from "#/api/scheduling/v1alpha3.ts";
import { type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { conditionsStatus, declaredSpec } from "../rules/declared-spec.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { groupColumns } from "./group-columns.ts";
import { compositePodGroupSpec } from "./group-rules.ts";

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
  ...declaredSpec(compositePodGroupSpec),
  resetFields: ["status"],
  status: conditionsStatus(),
  columns: [nameColumn, ...groupColumns, ageColumn],
});

function preparePreemption(
  spec: CompositePodGroupSpec,
  old: CompositePodGroupSpec | undefined,
  context: RequestContext,
): void {
  if (context.enabled("PodGroupPreemptionPolicy")) spec.preemptionPolicy ??= "PreemptLowerPriority";
  else if (old?.preemptionPolicy === undefined) delete spec.preemptionPolicy;
}
