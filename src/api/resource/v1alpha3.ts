import type { Resource } from "../base/resource.ts";
import type { DeviceTaintRule, ResourcePoolStatusRequest } from "./v1alpha3-definitions.ts";

export type * from "./v1alpha3-definitions.ts";

export const deviceTaintRules: Resource<DeviceTaintRule> = {
  group: "resource.k8s.io",
  version: "v1alpha3",
  kind: "DeviceTaintRule",
  name: "devicetaintrules",
  singular: "devicetaintrule",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "resource.k8s.io",
      version: "v1alpha3",
      kind: "DeviceTaintRule",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const resourcePoolStatusRequests: Resource<ResourcePoolStatusRequest> = {
  group: "resource.k8s.io",
  version: "v1alpha3",
  kind: "ResourcePoolStatusRequest",
  name: "resourcepoolstatusrequests",
  singular: "resourcepoolstatusrequest",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "resource.k8s.io",
      version: "v1alpha3",
      kind: "ResourcePoolStatusRequest",
      verbs: ["get", "patch", "update"],
    },
  ],
};
