import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from "#/api/apiextensions/v1.ts";
import { type FieldError, formatFieldErrors, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  buildStructuralSchema,
  StructuralSchemaError,
} from "#/machinery/structural/structural-schema.ts";
import { validateStructural } from "#/machinery/structural/validate-structural.ts";
import { append } from "#/std/base/append.ts";
import { approvalOf, isProtectedGroup } from "../resources/apiextensions/api-approval.ts";
import { isTrue, type NewCondition, withCondition } from "../resources/apiextensions/condition.ts";
import { caBundleProblem } from "../resources/rules/webhook-client.ts";
import { hasItsNames, planNames } from "./plan-names.ts";

/**
 * The desired status of a CRD: its names, and the conditions that follow from them and from its spec. Pure.
 *
 * Upstream:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,nonstructuralschema,apiapproval}.
 */
export function planStatus(
  crd: CustomResourceDefinition,
  taken: readonly CustomResourceDefinitionNames[],
  now: string,
): CustomResourceDefinitionStatus {
  const { status = { acceptedNames: { plural: "", kind: "" } } } = crd;
  let conditions = status.conditions ?? [];
  const put = (condition: NewCondition): void => {
    conditions = withCondition(conditions, condition, now);
  };
  const { names: acceptedNames, condition } = hasItsNames(crd)
    ? { names: status.acceptedNames }
    : planNames(crd, taken);
  if (condition) put(condition);
  const accepted = condition ? condition.status === "True" : isTrue(crd, "NamesAccepted");
  if (!isTrue(crd, "Established")) put(established(crd, accepted));
  conditions = withOptional(conditions, "NonStructuralSchema", nonStructural(crd), now);
  conditions = withOptional(
    conditions,
    "KubernetesAPIApprovalPolicyConformant",
    approved(crd),
    now,
  );
  return { ...status, acceptedNames, conditions };
}

function withOptional(
  conditions: readonly CustomResourceDefinitionCondition[],
  type: string,
  condition: NewCondition | undefined,
  now: string,
): CustomResourceDefinitionCondition[] {
  if (condition) return withCondition(conditions, condition, now);
  return conditions.filter((one) => one.type !== type);
}

function established({ spec }: CustomResourceDefinition, namesAccepted: boolean): NewCondition {
  const type = "Established";
  if (!namesAccepted) {
    const message = "not all names are accepted";
    return { type, status: "False", reason: "NotAccepted", message };
  }
  const caBundle = spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  if (caBundle !== "" && caBundleProblem(caBundle) !== undefined) {
    const message = "The conversion webhook CABundle is invalid";
    return { type, status: "False", reason: "InvalidCABundle", message };
  }
  const message = "the initial names have been accepted";
  return { type, status: "True", reason: "InitialNamesAccepted", message };
}

function nonStructural({ spec }: CustomResourceDefinition): NewCondition | undefined {
  const type = "NonStructuralSchema";
  const errors: FieldError[] = [];
  if (spec.preserveUnknownFields) {
    errors.push(invalid(fieldPath("spec", "preserveUnknownFields"), true, "must be false"));
  }
  for (const [index, { name, schema }] of spec.versions.entries()) {
    if (!schema?.openAPIV3Schema) continue;
    const path = fieldPath("spec", "versions").index(index).child("schema");
    try {
      buildStructuralSchema(schema.openAPIV3Schema);
    } catch (error) {
      if (!(error instanceof StructuralSchemaError)) throw error;
      const message = `failed to check validation schema for version ${name}: ${error.message}`;
      return { type, status: "Unknown", reason: "StructuralError", message };
    }
    append(errors, validateStructural(schema.openAPIV3Schema, path.child("openAPIV3Schema")));
  }
  if (errors.length === 0) return undefined;
  return { type, status: "True", reason: "Violations", message: formatFieldErrors(errors) };
}

function approved(crd: CustomResourceDefinition): NewCondition | undefined {
  if (!isProtectedGroup(crd.spec.group)) return undefined;
  const { approval, reason: message } = approvalOf(crd);
  const [status, reason] = {
    Invalid: ["False", "InvalidAnnotation"] as const,
    Missing: ["False", "MissingAnnotation"] as const,
    Approved: ["True", "ApprovedAnnotation"] as const,
    Bypassed: ["False", "UnapprovedAnnotation"] as const,
  }[approval];
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason, message };
}
