import type { Resource } from "../base/resource.ts";
import type { EndpointSlice } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const endpointSlices: Resource<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  name: "endpointslices",
  singular: "endpointslice",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
