import type { Resource } from "../base/resource.ts";
import type { CompositePodGroup, PodGroup, Workload } from "./v1alpha3-definitions.ts";

export type * from "./v1alpha3-definitions.ts";

export const compositePodGroups: Resource<CompositePodGroup> = {
  group: "scheduling.k8s.io",
  version: "v1alpha3",
  kind: "CompositePodGroup",
  name: "compositepodgroups",
  singular: "compositepodgroup",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "scheduling.k8s.io",
      version: "v1alpha3",
      kind: "CompositePodGroup",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const podGroups: Resource<PodGroup> = {
  group: "scheduling.k8s.io",
  version: "v1alpha3",
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
      version: "v1alpha3",
      kind: "PodGroup",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const workloads: Resource<Workload> = {
  group: "scheduling.k8s.io",
  version: "v1alpha3",
  kind: "Workload",
  name: "workloads",
  singular: "workload",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
