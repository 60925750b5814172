import type { Pod } from "#/api/core/v1.ts";
import type { ObservedPod } from "./observed-pod.ts";

/** The pods of this node as server, stats, probes and garbage collection see them. */
export interface PodAccess {
  /** Pods that this node is to run, with the newest status the kubelet has made of them; static pods included. */
  pods(): readonly Pod[];
  find(namespace: string, name: string): Pod | undefined;
  /** Also by the UID of a static Pod's mirror. */
  findByUID(uid: string): Pod | undefined;
  /** What the runtime has of a pod, as last seen; undefined if it has nothing. */
  observed(uid: string): ObservedPod | undefined;
  /** All that the runtime has, wanted or not. */
  allObserved(): readonly ObservedPod[];
  /** True once a pod is terminating or gone: its dead containers may be removed. */
  mayRemoveContainers(uid: string): boolean;
  /** True once a pod is gone for good: its sandboxes and logs may be removed. */
  mayRemoveContent(uid: string): boolean;
}
