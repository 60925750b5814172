import type { Resource } from "../base/resource.ts";
import type { CustomResourceDefinition } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const customResourceDefinitions: Resource<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  name: "customresourcedefinitions",
  singular: "customresourcedefinition",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "apiextensions.k8s.io",
      version: "v1",
      kind: "CustomResourceDefinition",
      verbs: ["get", "patch", "update"],
    },
  ],
};
