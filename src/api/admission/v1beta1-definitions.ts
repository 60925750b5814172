import type * as authenticationV1 from "../authentication/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type Operation = string;

export type PatchType = string;

export interface AdmissionRequest {
  uid: string;
  kind: metaV1.GroupVersionKind;
  resource: metaV1.GroupVersionResource;
  subResource?: string;
  requestKind?: metaV1.GroupVersionKind;
  requestResource?: metaV1.GroupVersionResource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation: Operation;
  userInfo: authenticationV1.UserInfo;
  object?: unknown;
  oldObject?: unknown;
  dryRun?: boolean;
  options?: unknown;
}

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: metaV1.Status;
  patch?: string;
  patchType?: PatchType;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
}

export interface AdmissionReview extends metaV1.TypeMeta {
  request?: AdmissionRequest;
  response?: AdmissionResponse;
}
