import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type PreemptionPolicy = "Never" | "PreemptLowerPriority";

export type AllCompositeDisruptionMode = Record<string, never>;

export type AllDisruptionMode = Record<string, never>;

export type BasicSchedulingPolicy = Record<string, never>;

export type CompositeBasicSchedulingPolicy = Record<string, never>;

export interface CompositeDisruptionMode {
  single?: SingleCompositeDisruptionMode;
  all?: AllCompositeDisruptionMode;
}

export interface CompositeGangSchedulingPolicy {
  minGroupCount: number;
}

export interface CompositePodGroupSchedulingConstraints {
  topology?: TopologyConstraint[];
}

export interface CompositePodGroupSchedulingPolicy {
  basic?: CompositeBasicSchedulingPolicy;
  gang?: CompositeGangSchedulingPolicy;
}

export interface CompositePodGroupTemplate {
  name: string;
  schedulingPolicy: CompositePodGroupSchedulingPolicy;
  schedulingConstraints?: CompositePodGroupSchedulingConstraints;
  disruptionMode?: CompositeDisruptionMode;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: PreemptionPolicy;
  podGroupTemplates?: PodGroupTemplate[];
  compositePodGroupTemplates?: CompositePodGroupTemplate[];
}

export interface DisruptionMode {
  single?: SingleDisruptionMode;
  all?: AllDisruptionMode;
}

export interface GangSchedulingPolicy {
  minCount: number;
}

export interface PodGroup extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: PodGroupSpec;
  status?: PodGroupStatus;
}

export interface PodGroupList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PodGroup[];
}

export interface PodGroupResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodGroupResourceClaimStatus {
  name: string;
  resourceClaimName?: string;
}

export interface PodGroupSchedulingConstraints {
  topology?: TopologyConstraint[];
}

export interface PodGroupSchedulingPolicy {
  basic?: BasicSchedulingPolicy;
  gang?: GangSchedulingPolicy;
}

export interface PodGroupSpec {
  parentCompositePodGroupName?: string;
  workloadRef?: WorkloadReference;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: PreemptionPolicy;
}

export interface PodGroupStatus {
  conditions?: metaV1.Condition[];
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
}

export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: PreemptionPolicy;
}

export interface PriorityClass extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: coreV1.PreemptionPolicy;
}

export interface PriorityClassList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PriorityClass[];
}

export type SingleCompositeDisruptionMode = Record<string, never>;

export type SingleDisruptionMode = Record<string, never>;

export interface TopologyConstraint {
  key: string;
}

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Workload extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: WorkloadSpec;
}

export interface WorkloadList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Workload[];
}

export interface WorkloadReference {
  workloadName: string;
  templateName: string;
}

export interface WorkloadSpec {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates?: PodGroupTemplate[];
  compositePodGroupTemplates?: CompositePodGroupTemplate[];
}
