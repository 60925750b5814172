import type { Pod, PodStatus } from "#/api/core/v1.ts";
import type { ObservedPod } from "./observed-pod.ts";
import type { PodAccess } from "./pod-access.ts";
import type { PodTable } from "./pod-table.ts";

interface PodViewOptions {
  readonly table: PodTable;
  readonly statuses: {
    /** The newest status that the kubelet has computed for a Pod. */
    get(podUID: string): PodStatus | undefined;
  };
  readonly observed: {
    get(podUID: string): ObservedPod | undefined;
    all(): readonly ObservedPod[];
  };
}

/** Joins the desired, reported and observed state of each Pod. */
export class PodView implements PodAccess {
  readonly #options: PodViewOptions;

  constructor(options: PodViewOptions) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#options.table.isComplete;
  }

  pods(): readonly Pod[] {
    return [...this.#options.table.desired.values()].map((pod) => this.#withStatus(pod));
  }

  /** The pods() whose containers have not all ended for good. */
  unfinished(): readonly Pod[] {
    return this.pods().filter(
      ({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed",
    );
  }

  find(namespace: string, name: string): Pod | undefined {
    for (const pod of this.#options.table.desired.values()) {
      const { metadata } = pod;
      if (metadata.name === name && metadata.namespace === namespace) return this.#withStatus(pod);
    }
    return undefined;
  }

  findByUID(uid: string): Pod | undefined {
    const { desired, mirrors } = this.#options.table;
    const pod = desired.get(uid);
    if (pod) return this.#withStatus(pod);
    const mirror = [...mirrors.values()].find(({ metadata }) => metadata.uid === uid);
    return mirror && this.find(mirror.metadata.namespace ?? "", mirror.metadata.name ?? "");
  }

  observed(uid: string): ObservedPod | undefined {
    return this.#options.observed.get(uid);
  }

  allObserved(): readonly ObservedPod[] {
    return this.#options.observed.all();
  }

  mayRemoveContainers(uid: string): boolean {
    return this.#options.table.mayRemoveContainers(uid);
  }

  mayRemoveContent(uid: string): boolean {
    return this.#options.table.mayRemoveContent(uid);
  }

  #withStatus(pod: Pod): Pod {
    const status = this.#options.statuses.get(pod.metadata.uid ?? "");
    return status ? { ...pod, status } : pod;
  }
}
