import type { Pod, PodCondition, PodStatus } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings } from "#/machinery/meta/ip-rules.ts";
import type { Decoded, RequestContext, ViewStrategy } from "../../../registry/strategy.ts";
import { dropInitAnnotations } from "../pod-spec/drop-disabled-fields.ts";
import { dropDisabledStatusFields } from "./drop-disabled-status.ts";
import { validatePodStatusUpdate } from "./validate-status.ts";

/** Writes of a pod's status, mostly by its kubelet. Upstream: pkg/registry/core/pod/strategy.go. */
export const podStatus: ViewStrategy<Pod> = {
  prepareForUpdate: prepareStatus,
  validateUpdate: validatePodStatusUpdate,
  warnings: statusWarnings,
  resetFields: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
};

function prepareStatus(pod: Decoded<Pod>, old: Decoded<Pod>, context: RequestContext): void {
  pod.spec = old.spec;
  delete pod.metadata.deletionTimestamp;
  if (old.metadata.ownerReferences) pod.metadata.ownerReferences = old.metadata.ownerReferences;
  else delete pod.metadata.ownerReferences;
  pod.status ??= {};
  keepServerFields(pod.status, old.status ?? {});
  keepObservedGenerations(pod.status, old.status ?? {});
  dropInitAnnotations(pod.metadata);
  dropDisabledStatusFields(pod.status, old.status, context);
}

/** Keeps fields that the kubelet does not send. */
function keepServerFields(status: PodStatus, old: PodStatus): void {
  if (!status.qosClass && old.qosClass) status.qosClass = old.qosClass;
  const { resourceClaimStatuses, extendedResourceClaimStatus } = old;
  const { nodeAllocatableResourceClaimStatuses } = old;
  if (resourceClaimStatuses) status.resourceClaimStatuses ??= resourceClaimStatuses;
  if (extendedResourceClaimStatus) {
    status.extendedResourceClaimStatus ??= extendedResourceClaimStatus;
  }
  if (nodeAllocatableResourceClaimStatuses) {
    status.nodeAllocatableResourceClaimStatuses ??= nodeAllocatableResourceClaimStatuses;
  }
}

/** Keeps observed generations for clients that do not know them. */
function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) {
    status.observedGeneration = old.observedGeneration;
  }
  const remaining = Map.groupBy(old.conditions ?? [], ({ type }) => type);
  for (const condition of status.conditions ?? []) {
    const before: PodCondition | undefined = remaining.get(condition.type)?.shift();
    if (!condition.observedGeneration && before?.observedGeneration) {
      condition.observedGeneration = before.observedGeneration;
    }
  }
}

function statusWarnings({ status }: Decoded<Pod>): string[] {
  return (["podIPs", "hostIPs"] as const).flatMap((field) =>
    (status?.[field] ?? []).flatMap(({ ip }, index) =>
      ipWarnings(fieldPath("status", field).index(index).child("ip"), ip),
    ),
  );
}
