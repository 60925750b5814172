import { type SelfSubjectReview, selfSubjectReviews } from "#/api/authentication/v1.ts";
import { badRequest } from "#/machinery/status-error.ts";
import { formatTime } from "#/machinery/time.ts";
import { serve } from "../../registry/strategy.ts";
import { reviewVerbs } from "../review.ts";
import { toApiUser } from "./user-info.ts";

/** Says who asks. Upstream: pkg/registry/authentication/selfsubjectreview/rest.go. */
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
