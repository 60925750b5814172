import type { Resource } from "../base/resource.ts";
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const controllerRevisions: Resource<ControllerRevision> = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  name: "controllerrevisions",
  singular: "controllerrevision",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const daemonSets: Resource<DaemonSet> = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  name: "daemonsets",
  singular: "daemonset",
  namespaced: true,
  shortNames: ["ds"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "apps",
      version: "v1",
      kind: "DaemonSet",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const deployments: Resource<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  name: "deployments",
  singular: "deployment",
  namespaced: true,
  shortNames: ["deploy"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "scale",
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "status",
      group: "apps",
      version: "v1",
      kind: "Deployment",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const replicaSets: Resource<ReplicaSet> = {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  name: "replicasets",
  singular: "replicaset",
  namespaced: true,
  shortNames: ["rs"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "scale",
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "status",
      group: "apps",
      version: "v1",
      kind: "ReplicaSet",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const statefulSets: Resource<StatefulSet> = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  name: "statefulsets",
  singular: "statefulset",
  namespaced: true,
  shortNames: ["sts"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "scale",
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "status",
      group: "apps",
      version: "v1",
      kind: "StatefulSet",
      verbs: ["get", "patch", "update"],
    },
  ],
};
