import type { Resource } from "../base/resource.ts";
import type { PriorityClass } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const priorityClasses: Resource<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  name: "priorityclasses",
  singular: "priorityclass",
  namespaced: false,
  shortNames: ["pc"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
