import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type StorageHealthStatusType = "StorageDegraded" | "StorageUnreachable";

export type VolumeBindingMode = "Immediate" | "WaitForFirstConsumer";

export type FSGroupPolicy = string;

export type VolumeLifecycleMode = string;

export interface CSIDriver extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CSIDriver[];
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: VolumeLifecycleMode[];
  storageCapacity?: boolean;
  fsGroupPolicy?: FSGroupPolicy;
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: number;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
}

export interface CSINode extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: CSINodeSpec;
  status?: CSINodeStatus;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys?: string[];
  allocatable?: VolumeNodeResources;
}

export interface CSINodeList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CSINode[];
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSINodeStatus {
  storageHealth?: StorageHealth[];
}

export interface CSIStorageCapacity extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  nodeTopology?: metaV1.LabelSelector;
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

export interface CSIStorageCapacityList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CSIStorageCapacity[];
}

export interface StorageClass extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: coreV1.PersistentVolumeReclaimPolicy;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: VolumeBindingMode;
  allowedTopologies?: coreV1.TopologySelectorTerm[];
}

export interface StorageClassList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: StorageClass[];
}

export interface StorageHealth {
  name: string;
  healthConditions?: StorageHealthCondition[];
}

export interface StorageHealthCondition {
  status: StorageHealthStatusType;
  reason: string;
  message?: string;
  accessMode?: coreV1.PersistentVolumeAccessMode;
  volumeMode?: coreV1.PersistentVolumeMode;
  lastTransitionTime?: string;
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  driverName: string;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: VolumeAttributesClass[];
}

export interface VolumeError {
  time?: string;
  message?: string;
  errorCode?: number;
}

export interface VolumeNodeResources {
  count?: number;
}
