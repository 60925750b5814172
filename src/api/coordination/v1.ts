import type { Resource } from "../base/resource.ts";
import type { Lease } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const leases: Resource<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  name: "leases",
  singular: "lease",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
