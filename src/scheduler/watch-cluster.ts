import type { Resource } from "#/api/base/resource.ts";
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { BindingsInProgress } from "./bindings-in-progress.ts";
import type { ClusterCache } from "./cache/cluster-cache.ts";
import { type PodInfo, podInfoOf, podKey } from "./cache/pod-info.ts";
import { nodeChanges, podChanges } from "./framework/changes.ts";
import {
  action,
  assignedPodAdd,
  assignedPodDelete,
  clusterEvent,
  type EventResource,
  nodeAdd,
  nodeDelete,
} from "./framework/cluster-event.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";

const log = logger("scheduler");

interface WatchOptions {
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly bindings: BindingsInProgress;
  readonly metrics: SchedulerMetrics;
  readonly clock: Clock;
  /** True if the scheduler has a profile of this name. */
  readonly schedules: (schedulerName: string) => boolean;
}

/** Pods that have ended use no resources and don't count for affinity. */
const unfinishedPods = "status.phase!=Succeeded,status.phase!=Failed";

/** The informer options for Pods in all parts of the scheduler. */
export const podInformerOptions = { fieldSelector: unfinishedPods } as const;

/**
 * Updates cache and queue by the events of the informers.
 *
 * Upstream: pkg/scheduler/eventhandlers.go.
 */
export function watchCluster(
  informers: Informers,
  options: WatchOptions,
  others: ReadonlyMap<EventResource, Resource<unknown>>,
): void {
  const handler = new ClusterHandler(options);
  informers.informer(nodes).subscribe({
    added: (node) => handler.nodeAdded(node),
    updated: (before, after) => handler.nodeUpdated(before, after),
    deleted: (node) => handler.nodeDeleted(node),
  });
  informers.informer(pods, podInformerOptions).subscribe({
    added: (pod) => handler.podAdded(pod),
    updated: (before, after) => handler.podUpdated(before, after),
    deleted: (pod) => handler.podDeleted(pod),
  });
  for (const [name, resource] of others) {
    const { queue } = options;
    informers.informer(resource).subscribe({
      added: (after) => queue.moveAll(clusterEvent(name, action.Add), undefined, after),
      updated: (before, after) => queue.moveAll(clusterEvent(name, action.Update), before, after),
      deleted: (before) => queue.moveAll(clusterEvent(name, action.Delete), before, undefined),
    });
  }
}

/** Applies each change of a node or a pod to cache and queue. */
class ClusterHandler {
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  nodeAdded(node: Node): void {
    const { cache, queue } = this.#options;
    using _ = this.#measure(nodeAdd.label);
    cache.setNode(node);
    queue.moveAll(nodeAdd, undefined, node);
  }

  nodeUpdated(before: Node, after: Node): void {
    const { cache, queue } = this.#options;
    cache.setNode(after);
    for (const event of nodeChanges(before, after)) {
      using _ = this.#measure(event.label);
      queue.moveAll(event, before, after);
    }
  }

  nodeDeleted(node: Node): void {
    const { cache, queue } = this.#options;
    using _ = this.#measure(nodeDelete.label);
    queue.moveAll(nodeDelete, node, undefined);
    cache.removeNode(node.metadata.name ?? "");
  }

  podAdded(pod: Pod): void {
    if (pod.spec.nodeName) this.#assignedAdded(pod);
    else if (this.#isOurs(pod)) {
      using _ = this.#measure("UnscheduledPodAdd");
      this.#options.queue.add(pod);
    }
  }

  podUpdated(before: Pod, after: Pod): void {
    if (before.metadata.uid !== after.metadata.uid) {
      this.podDeleted(before);
      this.podAdded(after);
    } else if (before.spec.nodeName) {
      this.#assignedUpdated(before, after);
    } else if (after.spec.nodeName) {
      this.#assignedAdded(after);
      if (this.#isOurs(before)) this.#options.queue.delete(before);
    } else if (this.#isOurs(before)) {
      this.#waitingUpdated(before, after);
    }
  }

  podDeleted(pod: Pod): void {
    if (pod.spec.nodeName) this.#assignedDeleted(pod);
    else if (this.#isOurs(pod)) this.#waitingDeleted(pod);
  }

  #assignedAdded(pod: Pod): void {
    const { cache, queue } = this.#options;
    using _ = this.#measure(assignedPodAdd.label);
    cache.setPod(podInfoOf(pod), pod.spec.nodeName ?? "");
    queue.moveAll(assignedPodAdd, undefined, pod);
  }

  #assignedUpdated(before: Pod, after: Pod): void {
    const { cache, queue } = this.#options;
    cache.setPod(podInfoOf(after), after.spec.nodeName ?? "");
    for (const event of podChanges(before, after)) {
      using _ = this.#measure(event.label);
      queue.moveAll(event, before, after);
    }
  }

  #assignedDeleted(pod: Pod): void {
    const { cache, queue } = this.#options;
    using _ = this.#measure(assignedPodDelete.label);
    cache.removePod(pod.metadata.uid ?? "");
    queue.moveAll(assignedPodDelete, pod, undefined);
  }

  #waitingUpdated(before: Pod, after: Pod): void {
    const { cache, queue } = this.#options;
    if (before.metadata.resourceVersion === after.metadata.resourceVersion) return;
    using _ = this.#measure("UnscheduledPodUpdate");
    if (cache.isAssumed(after.metadata.uid ?? "")) {
      const isNew = after.metadata.deletionTimestamp && !before.metadata.deletionTimestamp;
      if (isNew) this.#assumedGone(after);
      return;
    }
    queue.update(before, after);
    const nominated = before.status?.nominatedNodeName;
    if (nominated && nominated !== after.status?.nominatedNodeName) {
      queue.moveAll(assignedPodDelete, before, undefined, noMoreImportant(before));
    }
  }

  #waitingDeleted(pod: Pod): void {
    const { cache, queue } = this.#options;
    using _ = this.#measure("UnscheduledPodDelete");
    queue.delete(pod);
    if (cache.isAssumed(pod.metadata.uid ?? "")) this.#assumedGone(pod);
    else if (pod.status?.nominatedNodeName) {
      queue.moveAll(assignedPodDelete, pod, undefined, noMoreImportant(pod));
    }
  }

  /** A pod that was to be bound is being deleted: its resources are free at once. */
  #assumedGone({ metadata: { uid = "" } }: Pod): void {
    const { cache, queue, bindings } = this.#options;
    const assumed = cache.findPod(uid)?.pod;
    if (assumed === undefined) return;
    if (!bindings.isWaiting(uid)) cache.removePod(uid);
    else if (bindings.cancel(uid, "", "removed"))
      log.v(3, "rejected waiting pod", { pod: podKey(assumed) });
    queue.moveAll(assignedPodDelete, assumed, undefined);
  }

  #isOurs({ spec }: Pod): boolean {
    return this.#options.schedules(spec.schedulerName ?? "");
  }

  #measure(event: string): Disposable {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    return { [Symbol.dispose]: () => metrics.handled(event, startMs) };
  }
}

const noMoreImportant =
  ({ spec }: Pod) =>
  ({ priority }: PodInfo): boolean =>
    priority <= (spec.priority ?? 0);
