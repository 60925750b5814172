import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type DaemonSetConditionType = string;

export type DaemonSetUpdateStrategyType = string;

export type DeploymentConditionType = string;

export type DeploymentStrategyType = string;

export type PathType = string;

export type PolicyType = string;

export type ReplicaSetConditionType = string;

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
  selector?: metaV1.LabelSelector;
  template: coreV1.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  templateGeneration?: number;
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

export interface DeploymentRollback extends metaV1.TypeMeta {
  name: string;
  updatedAnnotations?: Record<string, string>;
  rollbackTo: RollbackConfig;
}

export interface DeploymentSpec {
  replicas?: number;
  selector?: metaV1.LabelSelector;
  template: coreV1.PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  rollbackTo?: RollbackConfig;
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

export interface HTTPIngressPath {
  path?: string;
  pathType?: PathType;
  backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

export interface IPBlock {
  cidr: string;
  except?: string[];
}

export interface Ingress extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: IngressSpec;
  status?: IngressStatus;
}

export interface IngressBackend {
  serviceName?: string;
  servicePort?: number | string;
  resource?: coreV1.TypedLocalObjectReference;
}

export interface IngressList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Ingress[];
}

export interface IngressLoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  port: number;
  protocol: coreV1.Protocol;
  error?: string;
}

export interface IngressRule extends IngressRuleValue {
  host?: string;
}

export interface IngressRuleValue {
  http?: HTTPIngressRuleValue;
}

export interface IngressSpec {
  ingressClassName?: string;
  backend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicy extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
}

export interface NetworkPolicyList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: NetworkPolicy[];
}

export interface NetworkPolicyPeer {
  podSelector?: metaV1.LabelSelector;
  namespaceSelector?: metaV1.LabelSelector;
  ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  protocol?: coreV1.Protocol;
  port?: number | string;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector: metaV1.LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  policyTypes?: PolicyType[];
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
  selector?: metaV1.LabelSelector;
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

export interface RollbackConfig {
  revision?: number;
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface Scale extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas: number;
  selector?: Record<string, string>;
  targetSelector?: string;
}
