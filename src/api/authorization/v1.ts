import type { Resource } from "../base/resource.ts";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const localSubjectAccessReviews: Resource<LocalSubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  name: "localsubjectaccessreviews",
  singular: "localsubjectaccessreview",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

export const selfSubjectAccessReviews: Resource<SelfSubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  name: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

export const selfSubjectRulesReviews: Resource<SelfSubjectRulesReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  name: "selfsubjectrulesreviews",
  singular: "selfsubjectrulesreview",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

export const subjectAccessReviews: Resource<SubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  name: "subjectaccessreviews",
  singular: "subjectaccessreview",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};
