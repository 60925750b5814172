import { type SelfSubjectReview, selfSubjectReviews } from "#/api/authentication/v1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { toApiUser } from "../../model/user-info.ts";
import { serve } from "../../registry/strategy.ts";
import { reviewVerbs } from "../rules/review.ts";

/** Returns the user of the request. Upstream: pkg/registry/authentication/selfsubjectreview/rest.go. */
export const selfSubjectReview = serve(selfSubjectReviews, {
  verbs: reviewVerbs<SelfSubjectReview>(async (review, { exchange, services }, admit) => {
    await admit();
    if (!exchange.user) throw badRequest("no user present on request");
    return {
      kind: review.kind,
      apiVersion: review.apiVersion,
      metadata: { creationTimestamp: formatTime(services.clock.now()) },
      status: { userInfo: toApiUser(exchange.user) },
    };
  }),
});
