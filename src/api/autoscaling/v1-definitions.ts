import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type MetricSourceType = "ContainerResource" | "External" | "Object" | "Pods" | "Resource";

export type HorizontalPodAutoscalerConditionType = string;

export interface ContainerResourceMetricSource {
  name: coreV1.ResourceName;
  targetAverageUtilization?: number;
  targetAverageValue?: string;
  container: string;
}

export interface ContainerResourceMetricStatus {
  name: coreV1.ResourceName;
  currentAverageUtilization?: number;
  currentAverageValue: string;
  container: string;
}

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

export interface ExternalMetricSource {
  metricName: string;
  metricSelector?: metaV1.LabelSelector;
  targetValue?: string;
  targetAverageValue?: string;
}

export interface ExternalMetricStatus {
  metricName: string;
  metricSelector?: metaV1.LabelSelector;
  currentValue: string;
  currentAverageValue?: string;
}

export interface HorizontalPodAutoscaler extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerCondition {
  type: HorizontalPodAutoscalerConditionType;
  status: coreV1.ConditionStatus;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export interface HorizontalPodAutoscalerList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: HorizontalPodAutoscaler[];
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: string;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number;
}

export interface MetricSpec {
  type: MetricSourceType;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
}

export interface MetricStatus {
  type: MetricSourceType;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
}

export interface ObjectMetricSource {
  target: CrossVersionObjectReference;
  metricName: string;
  targetValue: string;
  selector?: metaV1.LabelSelector;
  averageValue?: string;
}

export interface ObjectMetricStatus {
  target: CrossVersionObjectReference;
  metricName: string;
  currentValue: string;
  selector?: metaV1.LabelSelector;
  averageValue?: string;
}

export interface PodsMetricSource {
  metricName: string;
  targetAverageValue: string;
  selector?: metaV1.LabelSelector;
}

export interface PodsMetricStatus {
  metricName: string;
  currentAverageValue: string;
  selector?: metaV1.LabelSelector;
}

export interface ResourceMetricSource {
  name: coreV1.ResourceName;
  targetAverageUtilization?: number;
  targetAverageValue?: string;
}

export interface ResourceMetricStatus {
  name: coreV1.ResourceName;
  currentAverageUtilization?: number;
  currentAverageValue: string;
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
  selector?: string;
}
