import type { Resource } from "../base/resource.ts";
import type { PodDisruptionBudget } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const podDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  name: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  namespaced: true,
  shortNames: ["pdb"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "policy",
      version: "v1",
      kind: "PodDisruptionBudget",
      verbs: ["get", "patch", "update"],
    },
  ],
};
