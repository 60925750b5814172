import type { CustomResourceDefinition } from "#/api/apiextensions/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";

const annotationName = "api-approved.kubernetes.io";
const link = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Whether the API of a protected group is approved. */
type Approval = "Invalid" | "Approved" | "Bypassed" | "Missing";

/** APIs in groups of the Kubernetes community need an approval. */
export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  );
}

/**
 * The approval state that the annotation of a CRD gives, and the reason.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apihelpers/helpers.go.
 */
export function approvalOf({ metadata }: CustomResourceDefinition): {
  approval: Approval;
  reason: string;
} {
  const annotation = metadata.annotations?.[annotationName] ?? "";
  const quoted = JSON.stringify(annotationName);
  if (annotation === "") {
    const reason = `protected groups must have approval annotation ${quoted}, ${link}`;
    return { approval: "Missing", reason };
  }
  if (annotation.startsWith("unapproved")) {
    return { approval: "Bypassed", reason: `not approved: ${JSON.stringify(annotation)}` };
  }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]/.test(annotation)) {
    return { approval: "Approved", reason: `approved in ${annotation}` };
  }
  const reason = `protected groups must have approval annotation ${quoted} with either a URL or a reason starting with "unapproved", ${link}`;
  return { approval: "Invalid", reason };
}

/** Validation errors of the approval annotation; an unchanged annotation is not checked. */
export function validateApproval(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!isProtectedGroup(crd.spec.group)) return [];
  const { approval, reason } = approvalOf(crd);
  if (old && approvalOf(old).approval === approval) return [];
  const path = fieldPath("metadata", "annotations").key(annotationName);
  if (approval === "Missing") return [required(path, reason)];
  const value = crd.metadata.annotations?.[annotationName];
  return approval === "Invalid" ? [invalid(path, value, reason)] : [];
}
