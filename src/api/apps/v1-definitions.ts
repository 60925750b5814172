import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type DaemonSetUpdateStrategyType = "OnDelete" | "RollingUpdate";

export type DeploymentStrategyType = "Recreate" | "RollingUpdate";

export type PodManagementPolicyType = "OrderedReady" | "Parallel";

export type StatefulSetUpdateStrategyType = "OnDelete" | "Recreate" | "RollingUpdate";

export type DaemonSetConditionType = string;

export type DeploymentConditionType = string;

export type PersistentVolumeClaimRetentionPolicyType = string;

export type ReplicaSetConditionType = string;

export type StatefulSetConditionType = string;

export interface ControllerRevision extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  data: unknown;
  revision: number;
}

export interface ControllerRevisionList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ControllerRevision[];
}

export interface DaemonSet extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetCondition {
  type: DaemonSetConditionType;
  status: coreV1.ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DaemonSetList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: DaemonSet[];
}

export interface DaemonSetSpec {
  selector: metaV1.LabelSelector;
  template: coreV1.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  type?: DaemonSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateDaemonSet;
}

export interface Deployment extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentCondition {
  type: DeploymentConditionType;
  status: coreV1.ConditionStatus;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DeploymentList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Deployment[];
}

export interface DeploymentSpec {
  replicas?: number;
  selector: metaV1.LabelSelector;
  template: coreV1.PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

export interface DeploymentStrategy {
  type?: DeploymentStrategyType;
  rollingUpdate?: RollingUpdateDeployment;
}

export interface ReplicaSet extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  type: ReplicaSetConditionType;
  status: coreV1.ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface ReplicaSetList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ReplicaSet[];
}

export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector: metaV1.LabelSelector;
  template?: coreV1.PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number;
  maxUnavailable?: number | string;
}

export interface StatefulSet extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetCondition {
  type: StatefulSetConditionType;
  status: coreV1.ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface StatefulSetList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: StatefulSet[];
}

export interface StatefulSetOrdinals {
  start: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: PersistentVolumeClaimRetentionPolicyType;
  whenScaled?: PersistentVolumeClaimRetentionPolicyType;
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: metaV1.LabelSelector;
  template: coreV1.PodTemplateSpec;
  volumeClaimTemplates?: coreV1.PersistentVolumeClaim[];
  serviceName: string;
  podManagementPolicy?: PodManagementPolicyType;
  updateStrategy?: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  availableReplicas: number;
}

export interface StatefulSetUpdateStrategy {
  type?: StatefulSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
