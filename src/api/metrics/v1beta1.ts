import type { Resource } from "../base/resource.ts";
import type { NodeMetrics, PodMetrics } from "./v1beta1-definitions.ts";

export type * from "./v1beta1-definitions.ts";

export const nodes: Resource<NodeMetrics> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  name: "nodes",
  kind: "NodeMetrics",
  namespaced: false,
  singular: "",
  shortNames: [],
  categories: [],
  verbs: ["get", "list"],
  subresources: [],
};

export const pods: Resource<PodMetrics> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  name: "pods",
  kind: "PodMetrics",
  namespaced: true,
  singular: "",
  shortNames: [],
  categories: [],
  verbs: ["get", "list"],
  subresources: [],
};
