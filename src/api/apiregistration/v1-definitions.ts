import type * as metaV1 from "../meta/v1-definitions.ts";

export type APIServiceConditionType = string;

export type ConditionStatus = string;

export interface APIService extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: APIServiceSpec;
  status?: APIServiceStatus;
}

export interface APIServiceCondition {
  type: APIServiceConditionType;
  status: ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface APIServiceList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: APIService[];
}

export interface APIServiceSpec {
  service?: ServiceReference;
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  caBundle?: string;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  namespace?: string;
  name?: string;
  port?: number;
}
