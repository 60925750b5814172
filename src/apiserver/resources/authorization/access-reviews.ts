import {
  type LocalSubjectAccessReview,
  localSubjectAccessReviews,
  type NonResourceAttributes,
  type ResourceAttributes,
  type SelfSubjectAccessReview,
  type SubjectAccessReview,
  type SubjectAccessReviewSpec,
  type SubjectAccessReviewStatus,
  selfSubjectAccessReviews,
  subjectAccessReviews,
} from "#/api/authorization/v1.ts";
import { type FieldError, invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { badRequest, invalid } from "#/machinery/meta/status-error.ts";
import { type Attributes, type Authorizer, noAttributes } from "../../model/authorizer.ts";
import type { UserInfo } from "../../model/exchange.ts";
import { serve } from "../../registry/strategy.ts";
import { reviewVerbs } from "../rules/review.ts";
import { fieldSelectorText, labelSelectorText, selectorProblem } from "./selector-attributes.ts";
import {
  goAttributes,
  validateAttributes,
  validateNoMeta,
  validateSubject,
} from "./validate-review.ts";

/**
 * Answers whether a user may do something.
 *
 * Upstream: pkg/registry/authorization/subjectaccessreview/rest.go and its siblings.
 */

const group = "authorization.k8s.io";

/** For any user, in any namespace. */
export const subjectAccessReview = serve(subjectAccessReviews, {
  verbs: reviewVerbs<SubjectAccessReview>(async (review, { services }, admit) => {
    check([...validateSubject(review.spec), ...validateNoMeta(review.metadata, false)]);
    await admit();
    const status = await authorize(services.authorizer, userOf(review.spec), review.spec);
    return { ...review, status };
  }),
});

/** For any user, in one namespace. */
export const localSubjectAccessReview = serve(localSubjectAccessReviews, {
  verbs: reviewVerbs<LocalSubjectAccessReview>(async (review, { services, exchange }, admit) => {
    check(validateLocal(review));
    const { namespace } = exchange.info;
    if (namespace !== review.metadata.namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    }
    await admit();
    const status = await authorize(services.authorizer, userOf(review.spec), review.spec);
    return { ...review, status };
  }),
});

/** For the user of the request. */
export const selfSubjectAccessReview = serve(selfSubjectAccessReviews, {
  verbs: reviewVerbs<SelfSubjectAccessReview>(async (review, { services, exchange }, admit) => {
    check([...validateAttributes(review.spec), ...validateNoMeta(review.metadata, false)]);
    if (!exchange.user) throw badRequest("no user present on request");
    await admit();
    const status = await authorize(services.authorizer, exchange.user, review.spec);
    return { ...review, status };
  }),
});

function validateLocal({ metadata, spec }: LocalSubjectAccessReview): FieldError[] {
  const errors = [...validateSubject(spec), ...validateNoMeta(metadata, true)];
  const { resourceAttributes, nonResourceAttributes } = spec;
  const namespace = resourceAttributes?.namespace ?? "";
  if (resourceAttributes && namespace !== metadata.namespace) {
    const path = fieldPath("spec.resourceAttributes.namespace");
    errors.push(invalidField(path, namespace, "must match metadata.namespace"));
  }
  if (nonResourceAttributes) {
    const path = fieldPath("spec.nonResourceAttributes");
    const detail = "disallowed on this kind of request";
    errors.push(invalidField(path, goAttributes(nonResourceAttributes), detail));
  }
  return errors;
}

/** Upstream names no kind in this error. */
function check(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group, kind: "" }, "", errors);
}

function userOf({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

interface AccessAttributes {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function authorize(
  authorizer: Authorizer,
  user: UserInfo,
  { resourceAttributes, nonResourceAttributes }: AccessAttributes,
): Promise<SubjectAccessReviewStatus> {
  const field = fieldSelectorText(resourceAttributes?.fieldSelector);
  const label = labelSelectorText(resourceAttributes?.labelSelector);
  const attributes: Attributes = resourceAttributes
    ? {
        ...resourceAttributesOf(resourceAttributes),
        user,
        fieldSelector: field.text,
        labelSelector: label.text,
      }
    : {
        ...noAttributes,
        isResourceRequest: false,
        user,
        verb: nonResourceAttributes?.verb ?? "",
        path: nonResourceAttributes?.path ?? "",
      };
  const { decision, reason, error } = await authorizer.authorize(attributes);
  const problems = [
    ...(error ? [error.message] : []),
    ...selectorProblem("fieldSelector", field),
    ...selectorProblem("labelSelector", label),
  ];
  return {
    allowed: decision === "allow",
    ...(decision === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(problems.length > 0 ? { evaluationError: problems.join("; ") } : {}),
  };
}

function resourceAttributesOf(attributes: ResourceAttributes): Omit<Attributes, "user"> {
  const { namespace = "", verb = "", resource = "", subresource = "", name = "" } = attributes;
  return {
    ...noAttributes,
    verb,
    apiGroup: attributes.group ?? "",
    apiVersion: attributes.version || "*",
    resource,
    subresource,
    namespace,
    name,
  };
}
