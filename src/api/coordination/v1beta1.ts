import type { Resource } from "../base/resource.ts";
import type { LeaseCandidate } from "./v1beta1-definitions.ts";

export type * from "./v1beta1-definitions.ts";

export const leaseCandidates: Resource<LeaseCandidate> = {
  group: "coordination.k8s.io",
  version: "v1beta1",
  kind: "LeaseCandidate",
  name: "leasecandidates",
  singular: "leasecandidate",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
