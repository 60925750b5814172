import type { ResourceClaimSpec } from "#/api/resource/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongName, isQualifiedName } from "#/machinery/meta/names.ts";
import { table } from "#/std/base/table.ts";
import { type FieldRule, type StructRules, validateDeclared } from "../rules/declared-rules.ts";
import { FieldReport } from "../rules/field-report.ts";
import {
  validateDriverName,
  validateExtendedResourceName,
  validateFullyQualified,
} from "./device-names.ts";

/**
 * Declared rules of the types of claims and classes.
 *
 * Upstream: staging/src/k8s.io/api/resource/v1/types.go.
 */
const maxItems = 32;
const maxChoices = 8;
const modes = ["All", "ExactCount"];
const references: FieldRule = { maxItems, unique: true };
const qualified: FieldRule = { check: validateFullyQualified };

/** Declared rules of a toleration. */
export const tolerationRules: StructRules = {
  fields: {
    key: { format: isQualifiedName },
    operator: { values: ["Equal", "Exists"] },
    effect: { values: ["NoExecute", "NoSchedule", "None"] },
  },
};
const derivedAttribute: StructRules = {
  fields: {
    name: { required: true, check: validateFullyQualified },
    expression: { required: true },
  },
};
const requestFields: Readonly<Record<string, FieldRule>> = table({
  selectors: { maxItems },
  allocationMode: { values: modes },
  tolerations: { items: () => tolerationRules },
  derivedAttributes: { maxItems, items: () => derivedAttribute },
});
const choice: StructRules = {
  fields: { deviceClassName: { required: true, format: isLongName }, ...requestFields },
};
const request: StructRules = {
  fields: {
    exactly: { struct: () => ({ fields: requestFields }) },
    firstAvailable: { maxItems: maxChoices, named: true, items: () => choice },
  },
};
/** Declared rules of driver parameters. */
export const opaqueRules: StructRules = {
  fields: { driver: { required: true, check: validateDriverName } },
};
const constraint: StructRules = {
  fields: { requests: references, matchAttribute: qualified, distinctAttribute: qualified },
};
const configuration: StructRules = {
  fields: { requests: references, opaque: { struct: () => opaqueRules } },
};
const claim: StructRules = {
  fields: {
    requests: { maxItems, named: true, items: () => request },
    constraints: { maxItems, items: () => constraint },
    config: { maxItems, items: () => configuration },
  },
};
const deviceClass: StructRules = {
  fields: {
    selectors: { maxItems },
    config: { maxItems, items: () => ({ fields: { opaque: { struct: () => opaqueRules } } }) },
    extendedResourceName: { check: validateExtendedResourceName },
  },
};

/** Errors of the declared rules of a new claim. */
export const declaredClaimErrors = (spec: ResourceClaimSpec, path: FieldPath): FieldError[] =>
  errorsOf(path.child("devices"), spec.devices ?? {}, claim);

/** Errors of the declared rules of a class. */
export const declaredClassErrors = (path: FieldPath, spec: object, old?: object): FieldError[] =>
  errorsOf(path, spec, deviceClass, old);

function errorsOf(path: FieldPath, value: object, rules: StructRules, old?: object): FieldError[] {
  const report = new FieldReport();
  const scope = { isUpdate: old !== undefined, enabled: () => true };
  validateDeclared(report, path, { value, old, rules }, scope);
  return report.errors;
}
