import type * as metaV1 from "../meta/v1-definitions.ts";
import type * as coordinationV1 from "./v1-definitions.ts";

export interface Lease extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: LeaseSpec;
}

export interface LeaseCandidate extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: LeaseCandidateSpec;
}

export interface LeaseCandidateList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: LeaseCandidate[];
}

export interface LeaseCandidateSpec {
  leaseName: string;
  pingTime?: string;
  renewTime?: string;
  binaryVersion: string;
  emulationVersion?: string;
  strategy: coordinationV1.CoordinatedLeaseStrategy;
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
  strategy?: coordinationV1.CoordinatedLeaseStrategy;
  preferredHolder?: string;
}
