import type * as metaV1 from "../meta/v1-definitions.ts";

export type UnhealthyPodEvictionPolicyType = "AlwaysAllow" | "IfHealthyBudget";

export interface Eviction extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  deleteOptions?: metaV1.DeleteOptions;
}

export interface PodDisruptionBudget extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: PodDisruptionBudget[];
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: number | string;
  selector?: metaV1.LabelSelector;
  maxUnavailable?: number | string;
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: metaV1.Condition[];
}
