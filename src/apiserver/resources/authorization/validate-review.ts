import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "#/api/authorization/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName, validateOperator } from "#/machinery/meta/label-selector.ts";
import { isLabelValue } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";

/** Validation of access reviews. Upstream: pkg/apis/authorization/validation/validation.go. */

const oneOf = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

type Attributes = Pick<SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;

/** Validation errors of the attributes of a review. */
export function validateAttributes(
  { resourceAttributes, nonResourceAttributes }: Attributes,
  subject: readonly FieldError[] = [],
): FieldError[] {
  const errors: FieldError[] = [];
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    errors.push(invalid(fieldPath("spec"), goAttributes(nonResourceAttributes), oneOf));
  }
  return [...errors, ...subject, ...validateSelectors(resourceAttributes)];
}

/** Validation errors of a review about another user. */
export function validateSubject(spec: SubjectAccessReviewSpec): FieldError[] {
  const noSubject = !spec.user && !spec.groups?.length;
  const detail = "at least one of user or group must be specified";
  return validateAttributes(
    spec,
    noSubject ? [invalid(fieldPath("spec", "user"), spec.user ?? "", detail)] : [],
  );
}

/** Paths as Go's encoding/json shows them for upstream's internal type. */
export function goAttributes(attributes: NonResourceAttributes | undefined): unknown {
  return attributes ? { Path: attributes.path ?? "", Verb: attributes.verb ?? "" } : null;
}

/** A review has no metadata except managed fields and, in local reviews, the namespace. */
export function validateNoMeta(meta: ObjectMeta, namespaced: boolean): FieldError[] {
  const { managedFields, namespace, ...rest } = meta;
  const empty = Object.keys(rest).length === 0 && (namespaced || namespace === undefined);
  if (empty) return [];
  const detail = namespaced ? "must be empty except for namespace" : "must be empty";
  return [invalid(fieldPath("metadata"), meta, detail)];
}

function validateSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  const path = fieldPath("spec.resourceAttributes");
  return [
    ...validateSelector(attributes?.fieldSelector, path.child("fieldSelector"), false),
    ...validateSelector(attributes?.labelSelector, path.child("labelSelector"), true),
  ];
}

function validateSelector(
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  path: FieldPath,
  labels: boolean,
): FieldError[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== "" && requirements.length > 0) {
    const detail = "may not specified at the same time as requirements";
    errors.push(invalid(path.child("rawSelector"), rawSelector, detail));
  }
  if (rawSelector === "" && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(path.child("requirements"), detail));
  }
  requirements.forEach(({ key, operator, values = [] }, index) => {
    const at = path.child("requirements").index(index);
    if (!labels && !key) errors.push(required(at.child("key"), "must be specified"));
    append(errors, validateOperator(operator, values, at, { allowUnknownOperators: true }));
    if (!labels) return;
    append(errors, validateLabelName(key, at.child("key")));
    values.forEach((value, position) => {
      for (const problem of isLabelValue(value)) {
        errors.push(invalid(at.child("values").index(position), value, problem));
      }
    });
  });
  return errors;
}
