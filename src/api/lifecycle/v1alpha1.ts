import type { Resource } from "../base/resource.ts";
import type { Eviction, EvictionRequest } from "./v1alpha1-definitions.ts";

export type * from "./v1alpha1-definitions.ts";

export const evictionRequests: Resource<EvictionRequest> = {
  group: "lifecycle.k8s.io",
  version: "v1alpha1",
  kind: "EvictionRequest",
  name: "evictionrequests",
  singular: "evictionrequest",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "lifecycle.k8s.io",
      version: "v1alpha1",
      kind: "EvictionRequest",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const evictions: Resource<Eviction> = {
  group: "lifecycle.k8s.io",
  version: "v1alpha1",
  kind: "Eviction",
  name: "evictions",
  singular: "eviction",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "lifecycle.k8s.io",
      version: "v1alpha1",
      kind: "Eviction",
      verbs: ["get", "patch", "update"],
    },
  ],
};
