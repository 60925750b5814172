import { type FlowSchema, type FlowSchemaStatus, flowSchemas } from "#/api/flowcontrol/v1.ts";
import { duplicate, type FieldError, JsonValue, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { groupInternalForm } from "../rules/internal-form.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta } from "../rules/object-meta-rules.ts";
import { mandatoryFlowSchemas } from "./mandatory-objects.ts";
import { validateRules } from "./validate-rules.ts";

type Schema = Decoded<FlowSchema>;

const specPath = fieldPath("spec");
const maxPrecedence = 10_000;
const distinguishers = ["ByNamespace", "ByUser"];

/**
 * Upstream: pkg/registry/flowcontrol/flowschema/strategy.go, pkg/apis/flowcontrol/v1/defaults.go,
 * pkg/apis/flowcontrol/validation/validation.go.
 */
export const flowSchema = serve(flowSchemas, {
  setDefaults({ spec }) {
    spec.matchingPrecedence ||= 1000;
  },
  prepareForCreate(object) {
    object.status = {};
    startGeneration(object);
  },
  prepareForUpdate(object, old) {
    countGeneration(object, old);
    keepStatus(object, old);
  },
  validate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  resetFields: ["status"],
  status: {
    validateUpdate: ({ status }) => validateConditionTypes(status),
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    {
      name: "PriorityLevel",
      type: "string",
      cell: ({ spec }) => spec.priorityLevelConfiguration.name,
    },
    { name: "MatchingPrecedence", type: "string", cell: ({ spec }) => spec.matchingPrecedence },
    {
      name: "DistinguisherMethod",
      type: "string",
      cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>",
    },
    ageColumn,
    {
      name: "MissingPL",
      type: "string",
      cell: ({ status }) =>
        status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    },
  ],
});

function validateFlowSchema(object: Schema): FieldError[] {
  const { metadata, spec, status } = object;
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, nameIsDNSSubdomain));
  validateSpec(report, object);
  const fixed = mandatoryFlowSchemas().find(({ metadata: { name } }) => name === metadata.name);
  if (fixed && !deepEqual(fixed.spec, spec)) {
    const detail = `spec of '${metadata.name}' must equal the fixed value`;
    report.invalid(
      specPath,
      "",
      groupInternalForm("flowcontrol/v1", "FlowSchemaSpec", spec),
      detail,
    );
  }
  report.add(validateConditionTypes(status));
  return report.errors;
}

function validateSpec(report: FieldReport, { metadata, spec }: Schema): void {
  const { matchingPrecedence: precedence, distinguisherMethod: method } = spec;
  const refuse = (detail: string) =>
    report.invalid(specPath, "matchingPrecedence", precedence, detail);
  if (precedence <= 0) refuse("must be a positive value");
  if (precedence > maxPrecedence) refuse(`must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && metadata.name !== "exempt") {
    refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (method && !distinguishers.includes(method.type)) {
    const path = specPath.child("distinguisherMethod");
    report.notSupported(path, "type", { Type: method.type }, distinguishers);
  }
  const path = specPath.child("priorityLevelConfiguration");
  const name = spec.priorityLevelConfiguration?.name ?? "";
  if (name === "") report.required(path, "name", "must reference a priority level");
  else report.problems(path, "name", name, nameIsDNSSubdomain(name, false));
  validateRules(report, specPath.child("rules"), spec.rules ?? []);
}

/** Validation errors of the conditions of a status: each needs a type, and types are unique. */
export function validateConditionTypes(status: FlowSchemaStatus | undefined): FieldError[] {
  const types = (status?.conditions ?? []).map(({ type }) => type ?? "");
  const repeated = repeatedIndices(types);
  return types.flatMap((type, index) => {
    const path = fieldPath("status", "conditions").index(index).child("type");
    const again = repeated.has(index) ? [duplicate(path, new JsonValue(type))] : [];
    return type === "" ? [...again, required(path)] : again;
  });
}
