import { type TokenReview, tokenReviews } from "#/api/authentication/v1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { aggregate } from "../../auth/base/aggregate.ts";
import type { TokenAnswer } from "../../model/token-services.ts";
import { toApiUser } from "../../model/user-info.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { reviewVerbs } from "../rules/review.ts";

const invalidToken = "invalid bearer token";
const authenticated = "system:authenticated";

/** Returns the user of a token. Upstream: pkg/registry/authentication/tokenreview/storage.go. */
export const tokenReview = serve(tokenReviews, {
  verbs: reviewVerbs<TokenReview>(async (review, request, admit) => {
    if (!review.spec.token) throw badRequest("token is required for TokenReview in authentication");
    await admit();
    return { ...review, status: await statusOf(review, request) };
  }),
});

async function statusOf(
  { spec }: Decoded<TokenReview>,
  { services, exchange }: ResourceRequest,
): Promise<TokenReview["status"]> {
  const { tokens } = services;
  if (!tokens) return { user: {} };
  const audiences = spec.audiences?.length ? spec.audiences : tokens.audiences;
  const notes = { warnings: exchange.warnings, annotations: new Map<string, string>() };
  try {
    const answer = await tokens.authenticator.authenticateToken(spec.token, audiences, notes);
    if (answer) return good(answer);
    return { user: {}, error: invalidToken };
  } catch (error) {
    return { user: {}, error: aggregate([invalidToken, (error as Error).message]) };
  }
}

function good({ user, audiences = [] }: TokenAnswer): TokenReview["status"] {
  const groups = user.groups.includes(authenticated)
    ? user.groups
    : [...user.groups, authenticated];
  return {
    authenticated: true,
    user: toApiUser({ ...user, groups }),
    ...(audiences.length > 0 ? { audiences: [...audiences] } : {}),
  };
}
