import type * as metaV1 from "../meta/v1-definitions.ts";

export type EvictionRequestIntent = "Eviction" | "Withdrawn";

export type RequesterIntent = "Eviction" | "Withdrawn";

export type ResponderStateType = "Active" | "Canceled" | "Completed" | "Inactive" | "Interrupted";

export interface Eviction extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: EvictionSpec;
  status?: EvictionStatus;
}

export interface EvictionList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Eviction[];
}

export interface EvictionPodReference {
  name: string;
  uid: string;
}

export interface EvictionRequest extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: EvictionRequestSpec;
  status?: EvictionRequestStatus;
}

export interface EvictionRequestList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: EvictionRequest[];
}

export interface EvictionRequestPodReference {
  name: string;
  uid: string;
}

export interface EvictionRequestSpec {
  target: EvictionRequestTarget;
  requester: string;
  intent: EvictionRequestIntent;
}

export interface EvictionRequestStatus {
  conditions?: metaV1.Condition[];
  observedGeneration?: number;
}

export interface EvictionRequestTarget {
  pod?: EvictionRequestPodReference;
}

export interface EvictionSpec {
  target: EvictionTarget;
}

export interface EvictionStatus {
  conditions?: metaV1.Condition[];
  observedGeneration?: number;
  requesters?: Requester[];
  targetResponders?: TargetResponder[];
  responders?: ResponderStatus[];
}

export interface EvictionTarget {
  pod?: EvictionPodReference;
}

export interface Requester {
  name: string;
  intent: RequesterIntent;
}

export interface ResponderStatus {
  name: string;
  startTime?: string;
  heartbeatTime?: string;
  expectedCompletionTime?: string;
  completionTime?: string;
  message?: string;
}

export interface TargetResponder {
  name: string;
  priority: number;
  state: ResponderStateType;
}
