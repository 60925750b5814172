import type { Resource } from "../base/resource.ts";
import type { LeaseCandidate } from "./v1alpha2-definitions.ts";

export type * from "./v1alpha2-definitions.ts";

export const leaseCandidates: Resource<LeaseCandidate> = {
  group: "coordination.k8s.io",
  version: "v1alpha2",
  kind: "LeaseCandidate",
  name: "leasecandidates",
  singular: "leasecandidate",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
