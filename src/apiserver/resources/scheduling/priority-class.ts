import { type PriorityClass, priorityClasses } from "#/api/scheduling/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { startGeneration } from "../rules/generation.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

const valuePath = fieldPath("value");
const policyPath = fieldPath("preemptionPolicy");
const policies = ["PreemptLowerPriority", "Never"];

/** Limit of a user's priority: higher values are reserved for the system. */
const maxUserPriority = 1_000_000_000;
const systemPrefix = "system-";
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

/** Upstream: pkg/registry/scheduling/priorityclass/strategy.go, pkg/apis/scheduling/validation/validation.go. */
export const priorityClass = serve(priorityClasses, {
  setDefaults(object) {
    object.preemptionPolicy ??= "PreemptLowerPriority";
  },
  refuseDelete: (name) =>
    systemPriorities.has(name)
      ? "this is a system priority class and cannot be deleted"
      : undefined,
  prepareForCreate: startGeneration,
  validate: validatePriorityClass,
  validateUpdate({ metadata, value, preemptionPolicy }, old): FieldError[] {
    const report = new FieldReport();
    report.add(validateMetaUpdate(metadata, old.metadata));
    if (value !== old.value) report.forbidden(valuePath, "", "may not be changed in an update.");
    if (preemptionPolicy !== old.preemptionPolicy) {
      report.invalid(policyPath, "", new JsonValue(preemptionPolicy ?? null), immutableMessage);
    }
    return report.errors;
  },
  columns: [
    nameColumn,
    { name: "Value", type: "integer", cell: ({ value }) => value },
    {
      name: "Global-Default",
      type: "boolean",
      cell: ({ globalDefault = false }) => globalDefault,
    },
    ageColumn,
    {
      name: "PreemptionPolicy",
      type: "string",
      cell: ({ preemptionPolicy = "" }) => preemptionPolicy,
    },
  ],
});

function validatePriorityClass(object: Decoded<PriorityClass>): FieldError[] {
  const { metadata, value, preemptionPolicy } = object;
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, nameIsDNSSubdomain));
  if (metadata.name?.startsWith(systemPrefix)) {
    const problem = systemProblem(object);
    if (problem) {
      const detail = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
      report.forbidden(fieldPath("metadata"), "name", detail);
    }
  } else if (value > maxUserPriority) {
    const detail = `maximum allowed value of a user defined priority is ${maxUserPriority}`;
    report.forbidden(valuePath, "", detail);
  }
  const policy: string | undefined = preemptionPolicy;
  if (policy === "") report.required(policyPath, "");
  else if (policy !== undefined && !policies.includes(policy)) {
    report.notSupported(policyPath, "", policy, policies);
  }
  return report.errors;
}

function systemProblem({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const { name = "" } = metadata;
  const known = systemPriorities.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
