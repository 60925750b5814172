import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

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
