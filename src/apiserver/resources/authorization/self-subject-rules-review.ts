import { type SelfSubjectRulesReview, selfSubjectRulesReviews } from "#/api/authorization/v1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { aggregate } from "../../auth/base/aggregate.ts";
import type { KnownRules } from "../../model/authorizer.ts";
import { serve } from "../../registry/strategy.ts";
import { reviewVerbs } from "../rules/review.ts";

/** Lists the user's rules in a namespace. Upstream: pkg/registry/authorization/selfsubjectrulesreview/rest.go. */
export const selfSubjectRulesReview = serve(selfSubjectRulesReviews, {
  verbs: reviewVerbs<SelfSubjectRulesReview>(async (review, { services, exchange }, admit) => {
    const { namespace = "" } = review.spec;
    if (!exchange.user) throw badRequest("no user present on request");
    if (namespace === "") throw badRequest("no namespace on request");
    await admit();
    const known = services.authorizer.rulesFor?.(exchange.user, namespace);
    return {
      kind: review.kind,
      apiVersion: review.apiVersion,
      metadata: {},
      spec: {},
      status: statusOf(known ?? { rules: [], incomplete: true, errors: [] }),
    };
  }),
});

function statusOf({ rules, incomplete, errors }: KnownRules): SelfSubjectRulesReview["status"] {
  return {
    resourceRules: rules
      .filter(({ resources }) => resources?.length)
      .map(({ nonResourceURLs, ...rule }) => rule),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete,
    ...(errors.length > 0 ? { evaluationError: aggregate(errors) } : {}),
  };
}
