import type * as metaV1 from "../meta/v1-definitions.ts";

export interface StorageVersionMigration extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: StorageVersionMigrationSpec;
  status?: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: StorageVersionMigration[];
}

export interface StorageVersionMigrationSpec {
  resource: metaV1.GroupResource;
}

export interface StorageVersionMigrationStatus {
  conditions?: metaV1.Condition[];
  resourceVersion?: string;
}
