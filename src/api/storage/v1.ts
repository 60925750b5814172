import type { Resource } from "../base/resource.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const csiDrivers: Resource<CSIDriver> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  name: "csidrivers",
  singular: "csidriver",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const csiNodes: Resource<CSINode> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  name: "csinodes",
  singular: "csinode",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "storage.k8s.io",
      version: "v1",
      kind: "CSINode",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const csiStorageCapacities: Resource<CSIStorageCapacity> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  name: "csistoragecapacities",
  singular: "csistoragecapacity",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const storageClasses: Resource<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  name: "storageclasses",
  singular: "storageclass",
  namespaced: false,
  shortNames: ["sc"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const volumeAttachments: Resource<VolumeAttachment> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  name: "volumeattachments",
  singular: "volumeattachment",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "storage.k8s.io",
      version: "v1",
      kind: "VolumeAttachment",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const volumeAttributesClasses: Resource<VolumeAttributesClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  name: "volumeattributesclasses",
  singular: "volumeattributesclass",
  namespaced: false,
  shortNames: ["vac"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
