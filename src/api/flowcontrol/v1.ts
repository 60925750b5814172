import type { Resource } from "../base/resource.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const flowSchemas: Resource<FlowSchema> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  name: "flowschemas",
  singular: "flowschema",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "flowcontrol.apiserver.k8s.io",
      version: "v1",
      kind: "FlowSchema",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const priorityLevelConfigurations: Resource<PriorityLevelConfiguration> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  name: "prioritylevelconfigurations",
  singular: "prioritylevelconfiguration",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "flowcontrol.apiserver.k8s.io",
      version: "v1",
      kind: "PriorityLevelConfiguration",
      verbs: ["get", "patch", "update"],
    },
  ],
};
