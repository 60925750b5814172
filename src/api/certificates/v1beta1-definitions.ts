import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type ExtraValue = string[];

export type KeyUsage = string;

export type RequestConditionType = string;

export interface CertificateSigningRequest extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: RequestConditionType;
  status: coreV1.ConditionStatus;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface CertificateSigningRequestList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  request: string;
  signerName?: string;
  expirationSeconds?: number;
  usages?: KeyUsage[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, ExtraValue>;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: string;
}

export interface ClusterTrustBundle extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ClusterTrustBundle[];
}

export interface ClusterTrustBundleSpec {
  signerName?: string;
  trustBundle: string;
}

export interface PodCertificateRequest extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: PodCertificateRequestSpec;
  status?: PodCertificateRequestStatus;
}

export interface PodCertificateRequestList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PodCertificateRequest[];
}

export interface PodCertificateRequestSpec {
  signerName: string;
  podName: string;
  podUID: string;
  serviceAccountName: string;
  serviceAccountUID: string;
  nodeName: string;
  nodeUID: string;
  maxExpirationSeconds?: number;
  pkixPublicKey?: string;
  proofOfPossession?: string;
  stubPKCS10Request: string;
  unverifiedUserAnnotations?: Record<string, string>;
}

export interface PodCertificateRequestStatus {
  conditions?: metaV1.Condition[];
  certificateChain?: string;
  notBefore?: string;
  beginRefreshAt?: string;
  notAfter?: string;
}
