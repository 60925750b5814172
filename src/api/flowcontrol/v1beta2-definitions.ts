import type * as metaV1 from "../meta/v1-definitions.ts";

export type ConditionStatus = string;

export type FlowDistinguisherMethodType = string;

export type FlowSchemaConditionType = string;

export type LimitResponseType = string;

export type PriorityLevelConfigurationConditionType = string;

export type PriorityLevelEnablement = string;

export type SubjectKind = string;

export interface ExemptPriorityLevelConfiguration {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
  type: FlowDistinguisherMethodType;
}

export interface FlowSchema extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: FlowSchemaSpec;
  status?: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  type: FlowSchemaConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface FlowSchemaList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: FlowSchema[];
}

export interface FlowSchemaSpec {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[];
}

export interface GroupSubject {
  name: string;
}

export interface LimitResponse {
  type: LimitResponseType;
  queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  assuredConcurrencyShares: number;
  limitResponse: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  verbs: string[];
  nonResourceURLs: string[];
}

export interface PolicyRulesWithSubjects {
  subjects: Subject[];
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
}

export interface PriorityLevelConfiguration extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  type: PriorityLevelConfigurationConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface PriorityLevelConfigurationList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PriorityLevelConfiguration[];
}

export interface PriorityLevelConfigurationReference {
  name: string;
}

export interface PriorityLevelConfigurationSpec {
  type: PriorityLevelEnablement;
  limited?: LimitedPriorityLevelConfiguration;
  exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  queues: number;
  handSize: number;
  queueLengthLimit: number;
}

export interface ResourcePolicyRule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  clusterScope?: boolean;
  namespaces?: string[];
}

export interface ServiceAccountSubject {
  namespace: string;
  name: string;
}

export interface Subject {
  kind: SubjectKind;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  name: string;
}
