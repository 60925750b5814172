import type { ResourceSliceSpec } from "#/api/resource/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isShortName } from "#/machinery/meta/names.ts";
import { type StructRules, validateDeclared } from "../rules/declared-rules.ts";
import { FieldReport } from "../rules/field-report.ts";

/**
 * Declared rules of the types of slices.
 *
 * Upstream: staging/src/k8s.io/api/resource/v1/types.go.
 */
const maxCounterSets = 8;
const maxConsumptions = 2;
const maxBindingConditions = 4;

const counterSet: StructRules = {
  fields: {
    name: { required: true, format: isShortName },
    counters: { required: true, keys: isShortName },
  },
};
const consumption: StructRules = {
  fields: {
    counterSet: { required: true, format: isShortName },
    counters: { required: true, keys: isShortName },
  },
};
const attribute: StructRules = {
  union: ["int", "bool", "string", "version", "ints", "bools", "strings", "versions"],
  fields: {},
};
const taint: StructRules = {
  fields: { effect: { required: true, values: ["NoExecute", "NoSchedule", "None"] } },
};
const device: StructRules = {
  fields: {
    attributes: { entries: () => attribute },
    consumesCounters: {
      maxItems: maxConsumptions,
      named: "counterSet",
      items: () => consumption,
    },
    taints: { items: () => taint },
    bindingConditions: { maxItems: maxBindingConditions },
    bindingFailureConditions: { maxItems: maxBindingConditions },
  },
};
const slice: StructRules = {
  fields: {
    devices: { items: () => device },
    sharedCounters: { maxItems: maxCounterSets, named: true, items: () => counterSet },
  },
};

/** Errors of the declared rules of a slice; old is the object that an update replaces. */
export function declaredSliceErrors(
  path: FieldPath,
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
): FieldError[] {
  const report = new FieldReport();
  const scope = { isUpdate: old !== undefined, enabled: () => true };
  validateDeclared(report, path, { value: spec, old, rules: slice }, scope);
  return report.errors;
}
