import type { Resource } from "../base/resource.ts";
import type { StorageVersion } from "./v1alpha1-definitions.ts";

export type * from "./v1alpha1-definitions.ts";

export const storageVersions: Resource<StorageVersion> = {
  group: "internal.apiserver.k8s.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  name: "storageversions",
  singular: "storageversion",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "internal.apiserver.k8s.io",
      version: "v1alpha1",
      kind: "StorageVersion",
      verbs: ["get", "patch", "update"],
    },
  ],
};
