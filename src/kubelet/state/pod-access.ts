import type { Pod } from "#/api/core/v1.ts";
import type { ObservedPod } from "./observed-pod.ts";

/** The pods of this node for server, stats, probes and garbage collection. */
export interface PodAccess {
  /** Pods that this node has to run, with the newest status that the kubelet has computed; static pods included. */
  pods(): readonly Pod[];
  find(namespace: string, name: string): Pod | undefined;
  /** Also by the UID of a static Pod's mirror. */
  findByUID(uid: string): Pod | undefined;
  /** The runtime's last observed state of a pod; undefined if it has nothing of it. */
  observed(uid: string): ObservedPod | undefined;
  /** All pods of the runtime, assigned to this node or not. */
  allObserved(): readonly ObservedPod[];
  /** True once a pod is terminating or gone: its dead containers may be removed. */
  mayRemoveContainers(uid: string): boolean;
  /** True once a pod is gone for good: its sandboxes and logs may be removed. */
  mayRemoveContent(uid: string): boolean;
}
