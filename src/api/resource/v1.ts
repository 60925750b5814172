import type { Resource } from "../base/resource.ts";
import type {
  DeviceClass,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const deviceClasses: Resource<DeviceClass> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  name: "deviceclasses",
  singular: "deviceclass",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const deviceTaintRules: Resource<DeviceTaintRule> = {
  group: "resource.k8s.io",
  version: "v1",
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
      version: "v1",
      kind: "DeviceTaintRule",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const resourceClaims: Resource<ResourceClaim> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaim",
  name: "resourceclaims",
  singular: "resourceclaim",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "resource.k8s.io",
      version: "v1",
      kind: "ResourceClaim",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const resourceClaimTemplates: Resource<ResourceClaimTemplate> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaimTemplate",
  name: "resourceclaimtemplates",
  singular: "resourceclaimtemplate",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const resourceSlices: Resource<ResourceSlice> = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceSlice",
  name: "resourceslices",
  singular: "resourceslice",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
