import type * as metaV1 from "../meta/v1-definitions.ts";

export type ConditionStatus = string;

export type StorageVersionConditionType = string;

export interface ServerStorageVersion {
  apiServerID: string;
  encodingVersion: string;
  decodableVersions: string[];
  servedVersions?: string[];
}

export interface StorageVersion extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: StorageVersionSpec;
  status: StorageVersionStatus;
}

export interface StorageVersionCondition {
  type: StorageVersionConditionType;
  status: ConditionStatus;
  observedGeneration?: number;
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

export interface StorageVersionList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: StorageVersion[];
}

export type StorageVersionSpec = Record<string, never>;

export interface StorageVersionStatus {
  storageVersions?: ServerStorageVersion[];
  commonEncodingVersion?: string;
  conditions?: StorageVersionCondition[];
}
