import type { Resource } from "../base/resource.ts";
import type { APIService } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const apiServices: Resource<APIService> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  name: "apiservices",
  singular: "apiservice",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "apiregistration.k8s.io",
      version: "v1",
      kind: "APIService",
      verbs: ["get", "patch", "update"],
    },
  ],
};
