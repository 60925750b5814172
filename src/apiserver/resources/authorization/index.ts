import type { Declaration } from "../../registry/strategy.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from "./access-reviews.ts";
import { selfSubjectRulesReview } from "./self-subject-rules-review.ts";

export const authorizationResources: readonly Declaration[] = [
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
];
