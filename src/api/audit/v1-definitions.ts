import type * as authenticationV1 from "../authentication/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type Level = string;

export type Stage = string;

export interface AuthenticationMetadata {
  impersonationConstraint?: string;
}

export interface Event extends metaV1.TypeMeta {
  level: Level;
  auditID: string;
  stage: Stage;
  requestURI: string;
  verb: string;
  user: authenticationV1.UserInfo;
  impersonatedUser?: authenticationV1.UserInfo;
  authenticationMetadata?: AuthenticationMetadata;
  sourceIPs?: string[];
  userAgent?: string;
  objectRef?: ObjectReference;
  responseStatus?: metaV1.Status;
  requestObject?: unknown;
  responseObject?: unknown;
  requestReceivedTimestamp?: string;
  stageTimestamp?: string;
  annotations?: Record<string, string>;
}

export interface EventList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Event[];
}

export interface GroupResources {
  group?: string;
  resources?: string[];
  resourceNames?: string[];
}

export interface ObjectReference {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

export interface Policy extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  rules: PolicyRule[];
  omitStages?: Stage[];
  omitManagedFields?: boolean;
}

export interface PolicyList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Policy[];
}

export interface PolicyRule {
  level: Level;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  resources?: GroupResources[];
  namespaces?: string[];
  nonResourceURLs?: string[];
  omitStages?: Stage[];
  omitManagedFields?: boolean;
}
