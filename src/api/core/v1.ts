import type { Resource } from "../base/resource.ts";
import type {
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const bindings: Resource<Binding> = {
  group: "",
  version: "v1",
  kind: "Binding",
  name: "bindings",
  singular: "binding",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

export const componentStatuses: Resource<ComponentStatus> = {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  name: "componentstatuses",
  singular: "componentstatus",
  namespaced: false,
  shortNames: ["cs"],
  categories: [],
  verbs: ["get", "list"],
  subresources: [],
};

export const configMaps: Resource<ConfigMap> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  name: "configmaps",
  singular: "configmap",
  namespaced: true,
  shortNames: ["cm"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const endpoints: Resource<Endpoints> = {
  group: "",
  version: "v1",
  kind: "Endpoints",
  name: "endpoints",
  singular: "endpoints",
  namespaced: true,
  shortNames: ["ep"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const events: Resource<Event> = {
  group: "",
  version: "v1",
  kind: "Event",
  name: "events",
  singular: "event",
  namespaced: true,
  shortNames: ["ev"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const limitRanges: Resource<LimitRange> = {
  group: "",
  version: "v1",
  kind: "LimitRange",
  name: "limitranges",
  singular: "limitrange",
  namespaced: true,
  shortNames: ["limits"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const namespaces: Resource<Namespace> = {
  group: "",
  version: "v1",
  kind: "Namespace",
  name: "namespaces",
  singular: "namespace",
  namespaced: false,
  shortNames: ["ns"],
  categories: [],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "finalize",
      group: "",
      version: "v1",
      kind: "Namespace",
      verbs: ["update"],
    },
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "Namespace",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const nodes: Resource<Node> = {
  group: "",
  version: "v1",
  kind: "Node",
  name: "nodes",
  singular: "node",
  namespaced: false,
  shortNames: ["no"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "proxy",
      group: "",
      version: "v1",
      kind: "NodeProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
    },
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "Node",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  name: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  namespaced: true,
  shortNames: ["pvc"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "PersistentVolumeClaim",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const persistentVolumes: Resource<PersistentVolume> = {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  name: "persistentvolumes",
  singular: "persistentvolume",
  namespaced: false,
  shortNames: ["pv"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "PersistentVolume",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const pods: Resource<Pod> = {
  group: "",
  version: "v1",
  kind: "Pod",
  name: "pods",
  singular: "pod",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "attach",
      group: "",
      version: "v1",
      kind: "PodAttachOptions",
      verbs: ["create", "get"],
    },
    {
      name: "binding",
      group: "",
      version: "v1",
      kind: "Binding",
      verbs: ["create"],
    },
    {
      name: "ephemeralcontainers",
      group: "",
      version: "v1",
      kind: "Pod",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "eviction",
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    },
    {
      name: "exec",
      group: "",
      version: "v1",
      kind: "PodExecOptions",
      verbs: ["create", "get"],
    },
    {
      name: "log",
      group: "",
      version: "v1",
      kind: "Pod",
      verbs: ["get"],
    },
    {
      name: "portforward",
      group: "",
      version: "v1",
      kind: "PodPortForwardOptions",
      verbs: ["create", "get"],
    },
    {
      name: "proxy",
      group: "",
      version: "v1",
      kind: "PodProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
    },
    {
      name: "resize",
      group: "",
      version: "v1",
      kind: "Pod",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "Pod",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const podTemplates: Resource<PodTemplate> = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  name: "podtemplates",
  singular: "podtemplate",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const replicationControllers: Resource<ReplicationController> = {
  group: "",
  version: "v1",
  kind: "ReplicationController",
  name: "replicationcontrollers",
  singular: "replicationcontroller",
  namespaced: true,
  shortNames: ["rc"],
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
      group: "",
      version: "v1",
      kind: "ReplicationController",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const resourceQuotas: Resource<ResourceQuota> = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  name: "resourcequotas",
  singular: "resourcequota",
  namespaced: true,
  shortNames: ["quota"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "ResourceQuota",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const secrets: Resource<Secret> = {
  group: "",
  version: "v1",
  kind: "Secret",
  name: "secrets",
  singular: "secret",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const serviceAccounts: Resource<ServiceAccount> = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  name: "serviceaccounts",
  singular: "serviceaccount",
  namespaced: true,
  shortNames: ["sa"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "token",
      group: "authentication.k8s.io",
      version: "v1",
      kind: "TokenRequest",
      verbs: ["create"],
    },
  ],
};

export const services: Resource<Service> = {
  group: "",
  version: "v1",
  kind: "Service",
  name: "services",
  singular: "service",
  namespaced: true,
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "proxy",
      group: "",
      version: "v1",
      kind: "ServiceProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
    },
    {
      name: "status",
      group: "",
      version: "v1",
      kind: "Service",
      verbs: ["get", "patch", "update"],
    },
  ],
};
