/**
 * What happens in a cluster that may make a rejected pod schedulable.
 *
 * Upstream: kube-scheduler/framework/types.go, kubernetes/pkg/scheduler/framework/events.go.
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

/** Kinds of change; each is one bit, so that an interest can be in several. */
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
  /** Any of the updates, and those that have no bit of their own. */
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

/** What a plugin wants to be told of, since it may change its mind about a pod then. */
export interface Interest {
  readonly resource: EventResource;
  readonly actions: Action;
  /** Whether this change may help this pod; always if there is no such function. */
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

/** Moves every pod that has been unschedulable for too long. */
export const unschedulableTimeout: ClusterEvent = everything("UnschedulableTimeout");
/** Moves one pod because a plugin asks for it. */
export const forceActivate: ClusterEvent = everything("ForceActivate");
export const assignedPodAdd: ClusterEvent = clusterEvent("AssignedPod", action.Add);
export const assignedPodDelete: ClusterEvent = clusterEvent("AssignedPod", action.Delete);
export const unscheduledPodAdd: ClusterEvent = clusterEvent("UnscheduledPod", action.Add);
export const nodeAdd: ClusterEvent = clusterEvent("Node", action.Add);
export const nodeDelete: ClusterEvent = clusterEvent("Node", action.Delete);

/** Whether an event concerns everything. */
export const isWildcard = ({ resource, action: change }: ClusterEvent): boolean =>
  resource === "*" && change === action.All;

/** Whether an event is one of those that an interest is in. */
export function isOfInterest(interest: Interest, event: ClusterEvent): boolean {
  if (interest.resource === "*" && interest.actions === action.All) return true;
  if (interest.resource !== "*" && interest.resource !== event.resource) return false;
  return (interest.actions & event.action) !== 0 && event.action <= interest.actions;
}

/** An interest in changes of objects of type T, with a typed hint. The target pod is the one that was rejected. */
export function interest<Target, T>(
  resource: EventResource,
  actions: Action,
  hint?: (pod: Target, before: T | undefined, after: T | undefined) => boolean,
): Interest {
  if (hint === undefined) return { resource, actions };
  // The queue hands each interest the objects of its own resource.
  return { resource, actions, hint: hint as NonNullable<Interest["hint"]> };
}
