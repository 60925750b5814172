import type { Resource } from "../base/resource.ts";
import type { SelfSubjectReview, TokenReview } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const selfSubjectReviews: Resource<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  name: "selfsubjectreviews",
  singular: "selfsubjectreview",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

export const tokenReviews: Resource<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  name: "tokenreviews",
  singular: "tokenreview",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};
