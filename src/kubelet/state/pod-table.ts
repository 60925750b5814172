import type { Pod } from "#/api/core/v1.ts";
import { fullName, isStaticPod } from "./static-pods.ts";

/** The state of a Pod's worker: see plan/worker-state.ts. */
export interface PodProgress {
  readonly pod: Pod;
  readonly state: { readonly kind: "syncing" | "terminating" | "terminated" | "finished" };
}

/**
 * The Pods of this node: the desired ones, and those that have a worker, desired or not. NodePods writes it; all others
 * only read.
 */
export class PodTable<Worker extends PodProgress = PodProgress> {
  /** Desired Pods by UID, without mirror Pods. */
  readonly desired = new Map<string, Pod>();
  /** Mirror Pods by full name. */
  readonly mirrors = new Map<string, Pod>();
  /** By the UID of the Pod. */
  readonly workers = new Map<string, Worker>();
  /** True once all desired Pods are known: others may be removed. */
  isComplete = false;

  isDesired(uid: string): boolean {
    return this.desired.has(uid);
  }

  mirrorOf(pod: Pod): Pod | undefined {
    return this.mirrors.get(fullName(pod));
  }

  /** The Pod in the API server: of a static Pod, its mirror. */
  apiPod(uid: string): Pod | undefined {
    const pod = this.desired.get(uid) ?? this.workers.get(uid)?.pod;
    return pod && isStaticPod(pod) ? this.mirrorOf(pod) : this.desired.get(uid);
  }

  /** Whether containers of a Pod may run. */
  mayRun(uid: string): boolean {
    const kind = this.workers.get(uid)?.state.kind;
    return kind === "syncing" || kind === "terminating";
  }

  /** Pods that use resources of the node. */
  active(): readonly Pod[] {
    return [...this.workers.values()]
      .map(({ pod }) => pod)
      .filter(({ metadata: { uid = "" } }) => this.desired.has(uid) && this.mayRun(uid));
  }

  /** True once a Pod is terminated or gone: its dead containers may be removed. */
  mayRemoveContainers(uid: string): boolean {
    return this.isComplete && !this.mayRun(uid);
  }

  /** True once a Pod is gone for good: its sandboxes and logs may be removed. */
  mayRemoveContent(uid: string): boolean {
    if (!this.isComplete || this.desired.has(uid)) return false;
    const worker = this.workers.get(uid);
    return worker === undefined || worker.state.kind === "finished";
  }
}
