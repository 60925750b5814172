import type { Declaration } from "../../registry/strategy.ts";
import { selfSubjectReview } from "./self-subject-review.ts";
import { tokenReview } from "./token-review.ts";

export const authenticationResources: readonly Declaration[] = [selfSubjectReview, tokenReview];
