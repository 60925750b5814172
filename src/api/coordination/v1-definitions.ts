import type * as metaV1 from "../meta/v1-definitions.ts";

export type CoordinatedLeaseStrategy = string;

export interface Lease extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: LeaseSpec;
}

export interface LeaseList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Lease[];
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  strategy?: CoordinatedLeaseStrategy;
  preferredHolder?: string;
}
