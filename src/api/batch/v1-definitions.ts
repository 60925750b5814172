import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";
import type * as schedulingV1alpha3 from "../scheduling/v1alpha3-definitions.ts";

export type CompletionMode = "Indexed" | "NonIndexed";

export type ConcurrencyPolicy = "Allow" | "Forbid" | "Replace";

export type PodFailurePolicyAction = "Count" | "FailIndex" | "FailJob" | "Ignore";

export type PodFailurePolicyOnExitCodesOperator = "In" | "NotIn";

export type PodReplacementPolicy = "Failed" | "TerminatingOrFailed";

export type JobConditionType = string;

export interface CronJob extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: CronJob[];
}

export interface CronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: ConcurrencyPolicy;
  suspend?: boolean;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: coreV1.ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface Job extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: JobSpec;
  status?: JobStatus;
}

export interface JobCondition {
  type: JobConditionType;
  status: coreV1.ConditionStatus;
  lastProbeTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface JobList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: Job[];
}

export interface JobSchedulingConfiguration {
  schedulingPolicy?: schedulingV1alpha3.WorkloadPodGroupSchedulingPolicy;
  schedulingConstraints?: schedulingV1alpha3.WorkloadPodGroupSchedulingConstraints;
  disruptionMode?: schedulingV1alpha3.WorkloadPodGroupDisruptionMode;
  resourceClaims?: schedulingV1alpha3.WorkloadPodGroupResourceClaim[];
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: metaV1.LabelSelector;
  manualSelector?: boolean;
  template: coreV1.PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  completionMode?: CompletionMode;
  suspend?: boolean;
  podReplacementPolicy?: PodReplacementPolicy;
  managedBy?: string;
  scheduling?: JobSchedulingConfiguration;
}

export interface JobStatus {
  conditions?: JobCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
}

export interface JobTemplateSpec {
  metadata: metaV1.ObjectMeta;
  spec: JobSpec;
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator: PodFailurePolicyOnExitCodesOperator;
  values: number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  type: coreV1.PodConditionType;
  status: coreV1.ConditionStatus;
}

export interface PodFailurePolicyRule {
  action: PodFailurePolicyAction;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  succeededIndexes?: string;
  succeededCount?: number;
}

export interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}
