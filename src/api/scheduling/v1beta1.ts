import type { Resource } from "../base/resource.ts";
import type { PodGroup, Workload } from "./v1beta1-definitions.ts";

export type * from "./v1beta1-definitions.ts";

export const podGroups: Resource<PodGroup> = {
  group: "scheduling.k8s.io",
  version: "v1beta1",
  kind: "PodGroup",
  name: "podgroups",
  singular: "podgroup",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "scheduling.k8s.io",
      version: "v1beta1",
      kind: "PodGroup",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const workloads: Resource<Workload> = {
  group: "scheduling.k8s.io",
  version: "v1beta1",
  kind: "Workload",
  name: "workloads",
  singular: "workload",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
