import type { Resource } from "../base/resource.ts";
import type { HorizontalPodAutoscaler } from "./v2-definitions.ts";

export type * from "./v2-definitions.ts";

export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  name: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  namespaced: true,
  shortNames: ["hpa"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "autoscaling",
      version: "v2",
      kind: "HorizontalPodAutoscaler",
      verbs: ["get", "patch", "update"],
    },
  ],
};
