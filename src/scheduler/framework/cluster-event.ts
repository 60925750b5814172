/**
 * Changes in the cluster that may make a rejected pod schedulable.
 *
 * Upstream: staging/src/k8s.io/kube-scheduler/framework/types.go, pkg/scheduler/framework/events.go.
 */
export type EventResource =
  | "AssignedPod"
  | "UnscheduledPod"
  | "TargetPod"
  | "Node"
  | "PersistentVolume"
  | "PersistentVolumeClaim"
  | "storage.k8s.io/CSINode"
  | "storage.k8s.io/CSIDriver"
  | "storage.k8s.io/VolumeAttachment"
  | "storage.k8s.io/CSIStorageCapacity"
  | "storage.k8s.io/StorageClass"
  | "resource.k8s.io/ResourceClaim"
  | "resource.k8s.io/ResourceSlice"
  | "resource.k8s.io/DeviceClass"
  | "*";

/** Kinds of change; each is one bit, so that they can be combined. */
export const action = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdateNodeDeclaredFeature: 1 << 7,
  UpdateNodePreemptionPolicy: 1 << 8,
  UpdatePodLabel: 1 << 9,
  UpdatePodScaleDown: 1 << 10,
  UpdatePodScaleUp: 1 << 11,
  UpdatePodToleration: 1 << 12,
  UpdatePodSchedulingGatesEliminated: 1 << 13,
  UpdatePodGeneratedResourceClaim: 1 << 14,
  /** Any of the updates, including those without a bit of their own. */
  Update: (1 << 15) - 1 - (1 << 0) - (1 << 1),
  All: (1 << 15) - 1,
} as const;

/** Bits of `action`. */
export type Action = number;

/** One change in the cluster. */
export interface ClusterEvent {
  readonly resource: EventResource;
  readonly action: Action;
  /** Its name in metrics and logs. */
  readonly label: string;
}

/** An event that a plugin registers for, since its result for a rejected pod may differ afterwards. */
export interface Interest {
  readonly resource: EventResource;
  readonly actions: Action;
  /** True if this change may help this pod; every change may if undefined. */
  readonly hint?: (pod: unknown, before: unknown, after: unknown) => boolean;
}

const actionNames = new Map<Action, string>(
  Object.entries(action).map(([name, value]) => [value, name]),
);

/** An event of a resource, named as upstream names it: NodeAdd, AssignedPodDelete… */
export function clusterEvent(resource: EventResource, change: Action): ClusterEvent {
  return { resource, action: change, label: `${resource}${actionNames.get(change) ?? ""}` };
}

const everything = (label: string): ClusterEvent => ({ resource: "*", action: action.All, label });

/** Moves every pod that has been unschedulable too long. */
export const unschedulableTimeout: ClusterEvent = everything("UnschedulableTimeout");
/** Moves one pod on a plugin's request. */
export const forceActivate: ClusterEvent = everything("ForceActivate");
export const assignedPodAdd: ClusterEvent = clusterEvent("AssignedPod", action.Add);
export const assignedPodDelete: ClusterEvent = clusterEvent("AssignedPod", action.Delete);
export const unscheduledPodAdd: ClusterEvent = clusterEvent("UnscheduledPod", action.Add);
export const nodeAdd: ClusterEvent = clusterEvent("Node", action.Add);
export const nodeDelete: ClusterEvent = clusterEvent("Node", action.Delete);

/** True for the wildcard event. */
export const isWildcard = ({ resource, action: change }: ClusterEvent): boolean =>
  resource === "*" && change === action.All;

/** True if an interest includes an event. */
export function isOfInterest(interest: Interest, event: ClusterEvent): boolean {
  if (interest.resource === "*" && interest.actions === action.All) return true;
  if (interest.resource !== "*" && interest.resource !== event.resource) return false;
  return (interest.actions & event.action) !== 0 && event.action <= interest.actions;
}

/** An interest in changes of objects of type T, with a typed hint. The target pod is the rejected one. */
export function interest<Target, T>(
  resource: EventResource,
  actions: Action,
  hint?: (pod: Target, before: T | undefined, after: T | undefined) => boolean,
): Interest {
  if (hint === undefined) return { resource, actions };
  // The queue passes each interest the objects of its own resource.
  return { resource, actions, hint: hint as NonNullable<Interest["hint"]> };
}
