import type { Node, Pod, ResourceList } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import {
  type Action,
  action,
  type ClusterEvent,
  clusterEvent,
  type EventResource,
} from "./cluster-event.ts";

/**
 * The events of a pod update: one for each property that matters to scheduling, or a plain update.
 *
 * Upstream: pkg/scheduler/framework/events.go.
 */
export function podChanges(before: Pod, after: Pod, isTarget = false): readonly ClusterEvent[] {
  const actions = podActions(before, after);
  const resource = podResource(after, isTarget);
  if (actions.length === 0) return [clusterEvent(resource, action.Update)];
  return actions.map((change) => clusterEvent(resource, change));
}

function podResource({ spec }: Pod, isTarget: boolean): EventResource {
  if (spec.nodeName) return "AssignedPod";
  return isTarget ? "TargetPod" : "UnscheduledPod";
}

function podActions(before: Pod, after: Pod): Action[] {
  const actions: Action[] = [];
  if (!deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {})) {
    actions.push(action.UpdatePodLabel);
  }
  if (asksForLess(before, after)) actions.push(action.UpdatePodScaleDown);
  if (asksForLess(after, before)) actions.push(action.UpdatePodScaleUp);
  if (before.spec.schedulingGates?.length && !after.spec.schedulingGates?.length) {
    actions.push(action.UpdatePodSchedulingGatesEliminated);
  }
  if ((before.spec.tolerations?.length ?? 0) !== (after.spec.tolerations?.length ?? 0)) {
    actions.push(action.UpdatePodToleration);
  }
  if (claimsChanged(before, after)) actions.push(action.UpdatePodGeneratedResourceClaim);
  return actions;
}

function claimsChanged({ status: before }: Pod, { status: after }: Pod): boolean {
  return (
    !deepEqual(before?.resourceClaimStatuses ?? [], after?.resourceClaimStatuses ?? []) ||
    !deepEqual(before?.extendedResourceClaimStatus, after?.extendedResourceClaimStatus)
  );
}

/** True if some request of one state is lower in the other. */
function asksForLess(more: Pod, less: Pod): boolean {
  if (more.spec === less.spec && more.status === less.status) return false;
  const options = { useStatus: true, usePodLevelStatus: true };
  const lower = podRequests(less, options);
  for (const [name, quantity] of podRequests(more, options)) {
    const other = lower.get(name);
    if (other === undefined || quantity.compare(other) > 0) return true;
  }
  return false;
}

/** The events of a node update: one for each property that matters to scheduling. */
export function nodeChanges(before: Node, after: Node): readonly ClusterEvent[] {
  const actions: Action[] = [];
  if (before.spec.unschedulable && !after.spec.unschedulable) actions.push(action.UpdateNodeTaint);
  if (!sameAmounts(before.status?.allocatable, after.status?.allocatable)) {
    actions.push(action.UpdateNodeAllocatable);
  }
  if (!deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {})) {
    actions.push(action.UpdateNodeLabel);
  }
  if (!deepEqual(before.spec.taints ?? [], after.spec.taints ?? [])) {
    actions.push(action.UpdateNodeTaint);
  }
  if (!deepEqual(conditionsOf(before), conditionsOf(after))) {
    actions.push(action.UpdateNodeCondition);
  }
  if (!deepEqual(before.metadata.annotations ?? {}, after.metadata.annotations ?? {})) {
    actions.push(action.UpdateNodeAnnotation);
  }
  if (!deepEqual(before.spec.podPreemptionPolicy, after.spec.podPreemptionPolicy)) {
    actions.push(action.UpdateNodePreemptionPolicy);
  }
  if (!deepEqual(before.status?.declaredFeatures ?? [], after.status?.declaredFeatures ?? [])) {
    actions.push(action.UpdateNodeDeclaredFeature);
  }
  return actions.map((change) => clusterEvent("Node", change));
}

const sameAmounts = (a: ResourceList | undefined, b: ResourceList | undefined): boolean =>
  deepEqual(a ?? {}, b ?? {});

const conditionsOf = ({ status }: Node): Record<string, string> =>
  Object.fromEntries(
    (status?.conditions ?? []).map((condition) => [condition.type, condition.status]),
  );
