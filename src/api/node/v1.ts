import type { Resource } from "../base/resource.ts";
import type { RuntimeClass } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const runtimeClasses: Resource<RuntimeClass> = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  name: "runtimeclasses",
  singular: "runtimeclass",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
