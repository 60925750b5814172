import type * as metaV1 from "../meta/v1-definitions.ts";

export type AttestationValue = string[];

export type ExtraValue = string[];

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

export interface SelfSubjectReview extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

export interface TokenRequest extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number;
  boundObjectRef?: BoundObjectReference;
  attestations?: Record<string, AttestationValue>;
}

export interface TokenRequestStatus {
  token: string;
  expirationTimestamp?: string;
}

export interface TokenReview extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token: string;
  audiences?: string[];
}

export interface TokenReviewStatus {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, ExtraValue>;
}
