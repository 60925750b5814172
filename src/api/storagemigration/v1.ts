import type { Resource } from "../base/resource.ts";
import type { StorageVersionMigration } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const storageVersionMigrations: Resource<StorageVersionMigration> = {
  group: "storagemigration.k8s.io",
  version: "v1",
  kind: "StorageVersionMigration",
  name: "storageversionmigrations",
  singular: "storageversionmigration",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "storagemigration.k8s.io",
      version: "v1",
      kind: "StorageVersionMigration",
      verbs: ["get", "patch", "update"],
    },
  ],
};
