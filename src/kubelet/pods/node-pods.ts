/** Upstream: pkg/kubelet/kubelet.go (HandlePodAdditions…), pkg/kubelet/pod/pod_manager.go. */
import type { Pod } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { needsSync } from "../plan/pod-change.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import { describePod } from "../state/pod-containers.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { Eviction } from "../state/pod-services.ts";
import type { PodTable } from "../state/pod-table.ts";
import { fullName, isMirrorPod, isStaticPod } from "../state/static-pods.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { PodAdmission } from "./admission/pod-admission.ts";
import { preemption } from "./admission/preemption.ts";
import type { PodResizing } from "./pod-resizing.ts";
import { type PodWork, PodWorker } from "./pod-worker.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";
import type { MirrorPods } from "./static/mirror-pods.ts";
import { waitForEnd } from "./wait-for-end.ts";

const log = logger("kubelet");

interface NodePodsOptions {
  readonly work: PodWork;
  readonly clock: Clock;
  readonly table: PodTable<PodWorker>;
  readonly observed: Pick<RuntimeWatch, "get">;
  readonly statuses: Pick<StatusWriter, "get" | "set" | "reconcile" | "rewrite" | "forget">;
  readonly events: PodEvents;
  readonly admission: Pick<PodAdmission, "admit" | "makeRoom">;
  readonly resizing: Pick<PodResizing, "allocate" | "forget">;
  readonly mirrors: Pick<MirrorPods, "delete">;
}

/**
 * Starts and ends the workers of this node's pods. For each UID, its entries in the table and in the three sets below
 * are one of these states; a worker's own states are in plan/worker-state.ts.
 *
 * | state       | desired | worker                  | in        | left when                                              |
 * | ----------- | ------- | ----------------------- | --------- | ------------------------------------------------------ |
 * | unknown     | no      | none                    |           | set(): admitted → working, waiting; refused → rejected,|
 * |             |         |                         |           | preempting. adoptOrphan() → ending                     |
 * | rejected    | yes     | none, status Failed     |           | deleted in the API → working (which ends at once);     |
 * |             |         |                         |           | delete() → unknown                                     |
 * | preempting  | yes     | none                    | #making   | the others have ended → working; delete() → unknown    |
 * | waiting     | yes     | syncing, not begun      | #waiting  | the static pod of the same name is finished → working; |
 * |             |         |                         |           | delete() → ending                                      |
 * | working     | yes     | syncing … terminated    |           | the worker has finished → done; delete() → ending      |
 * | done        | yes     | finished                |           | delete() → unknown                                     |
 * | ending      | no      | syncing … terminated    |           | the worker has finished → unknown; set() → returned    |
 * | returned    | yes     | terminating, terminated | #returned | the worker has finished → working with a new worker    |
 *
 * A worker that finishes while its pod isn't desired is dropped; one whose pod is desired stays, so that the pod isn't
 * started again. Only static pods can be desired again under the same UID.
 */
export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #table: PodTable<PodWorker>;
  /** Static pods that wait until an earlier one of the same name has ended, by full name. */
  readonly #waiting = new Map<string, Pod>();
  /** UIDs of pods that are desired again while their earlier worker is still ending. */
  readonly #returned = new Set<string>();
  /** UIDs of critical pods that wait until preempted pods have ended. */
  readonly #making = new Set<string>();

  constructor(options: NodePodsOptions) {
    this.#options = options;
    this.#table = options.table;
  }

  /** Adds a desired pod, or updates it. */
  set(pod: Pod): void {
    if (isMirrorPod(pod)) this.#setMirror(pod);
    else this.#setDesired(pod);
  }

  #setDesired(pod: Pod): void {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const before = this.#table.desired.get(uid);
    const known = before !== undefined;
    this.#table.desired.set(uid, pod);
    const worker = this.#table.workers.get(uid);
    if (worker && !known && worker.state.kind !== "syncing") this.#returned.add(uid);
    if (worker && worker.state.kind === "finished" && this.#returned.has(uid)) {
      this.#changed(worker);
      return;
    }
    if (worker) {
      this.#options.statuses.reconcile(uid);
      const waits = this.#waiting.get(fullName(pod))?.metadata.uid === uid;
      if (waits) return;
      if (needsSync(before, pod)) worker.update(this.#allocated(pod));
      else worker.follow(this.#allocated(pod));
      return;
    }
    if (this.#making.has(uid)) return;
    const rejected = known ? this.#isRejected(uid) : !this.#admits(pod);
    // A pod that was rejected needs a worker only to be deleted.
    if (!rejected || deletionTimestamp !== undefined) this.#start(pod);
  }

  /** Removes a pod that is no longer desired. */
  delete(pod: Pod): void {
    if (isMirrorPod(pod)) {
      this.#table.mirrors.delete(fullName(pod));
      this.#staticFor(pod)?.wake();
      return;
    }
    const uid = pod.metadata.uid ?? "";
    this.#table.desired.delete(uid);
    this.#waiting.delete(fullName(pod));
    this.#returned.delete(uid);
    const worker = this.#table.workers.get(uid);
    if (!worker) this.#forget(uid);
    else if (worker.state.kind === "finished") this.#drop(uid, worker);
    else worker.end();
  }

  /** Wakes the worker of a pod. */
  wake(uid: string): void {
    this.#table.workers.get(uid)?.wake();
  }

  /** Wakes the workers of all pods. */
  wakeAll(): void {
    for (const worker of this.#table.workers.values()) worker.wake();
  }

  /** Ends a pod and reports it failed. Rejects if it takes too long; its worker goes on. */
  readonly evict = async (pod: Pod, eviction: Eviction): Promise<void> => {
    const worker = this.#table.workers.get(pod.metadata.uid ?? "");
    if (!worker) return;
    worker.end(eviction);
    await waitForEnd(worker, eviction, this.#options);
  };

  /** Stops the runtime's containers of a pod that isn't desired. */
  adoptOrphan(observed: ObservedPod): void {
    const { uid, name, namespace } = observed;
    if (this.#table.workers.has(uid)) return;
    log.info("stopping orphaned pod", {
      pod: `${namespace}/${name}`,
      podUID: uid,
    });
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, uid },
      spec: { containers: [], terminationGracePeriodSeconds: 1 },
    };
    this.#add(pod).end();
  }

  /** Marks that all desired pods are known: others may be removed. */
  complete(): void {
    this.#table.isComplete = true;
  }

  /** Drops finished workers of pods that aren't desired. */
  dropFinished(): void {
    for (const [uid, worker] of this.#table.workers) {
      if (worker.state.kind === "finished" && !this.#table.desired.has(uid))
        this.#drop(uid, worker);
    }
  }

  close(): void {
    for (const worker of this.#table.workers.values()) worker.close();
  }

  #setMirror(mirror: Pod): void {
    const before = this.#table.mirrors.get(fullName(mirror));
    this.#table.mirrors.set(fullName(mirror), mirror);
    const worker = this.#staticFor(mirror);
    if (worker) {
      this.#options.statuses.rewrite(worker.pod.metadata.uid ?? "");
      if (needsSync(before, mirror)) worker.wake();
    } else void this.#options.mirrors.delete(mirror);
  }

  #staticFor(mirror: Pod): PodWorker | undefined {
    const name = fullName(mirror);
    return [...this.#table.workers.values()].find(
      ({ pod }) =>
        isStaticPod(pod) && fullName(pod) === name && this.#table.isDesired(pod.metadata.uid ?? ""),
    );
  }

  #isRejected(uid: string): boolean {
    return this.#options.statuses.get(uid)?.phase === "Failed";
  }

  #admits(pod: Pod): boolean {
    const { phase } = pod.status ?? {};
    const uid = pod.metadata.uid ?? "";
    const runs = this.#options.observed
      .get(uid)
      ?.containers.some(({ state }) => state === "running");
    const old = phase === "Failed" || phase === "Succeeded" || pod.metadata.deletionTimestamp;
    if (old || runs) return true;
    const others = this.#table.active().filter(({ metadata }) => metadata.uid !== uid);
    const admission = this.#options.admission.admit(pod, others);
    if (admission.admitted) return true;
    const inTheWay = this.#options.admission.makeRoom(pod, others);
    if (inTheWay) {
      void this.#startAfter(pod, inTheWay);
      return false;
    }
    const { reason, message } = admission;
    this.#options.events.record(pod, { type: "Warning", reason, message });
    this.#options.statuses.set(pod, {
      ...(pod.status?.qosClass && { qosClass: pod.status.qosClass }),
      ...(pod.metadata.generation && { observedGeneration: pod.metadata.generation }),
      phase: "Failed",
      reason,
      message: `Pod was rejected: ${message}`,
    });
    log.info("rejected pod", { pod: describePod(pod), reason, message });
    return false;
  }

  /** Preempts pods for a critical one, and starts it when they have ended. */
  async #startAfter(pod: Pod, inTheWay: readonly Pod[]): Promise<void> {
    const uid = pod.metadata.uid ?? "";
    this.#making.add(uid);
    await Promise.all(
      inTheWay.map((other) => {
        const eviction = preemption(other);
        const { reason, message } = eviction;
        this.#options.events.record(other, { type: "Warning", reason, message });
        return this.evict(other, eviction).catch((error) =>
          log.error(error, "Failed to evict pod", { pod: describePod(other) }),
        );
      }),
    );
    this.#making.delete(uid);
    const desired = this.#table.desired.get(uid);
    if (desired && !this.#table.workers.has(uid)) this.#start(desired);
  }

  #start(pod: Pod): void {
    const worker = this.#add(pod);
    if (this.#mustWait(pod)) this.#waiting.set(fullName(pod), pod);
    else worker.update(this.#allocated(pod));
  }

  /** Creates a worker for a pod, which does nothing yet. */
  #add(pod: Pod): PodWorker {
    const { work, clock } = this.#options;
    const worker = new PodWorker(pod, { work, clock, changed: (one) => this.#changed(one) });
    this.#table.workers.set(pod.metadata.uid ?? "", worker);
    return worker;
  }

  #allocated(pod: Pod): Pod {
    const others = this.#table.active().filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    return this.#options.resizing.allocate(pod, others);
  }

  /** Syncs a pod whose change of resources waits for room. */
  reallocate(uid: string): void {
    const pod = this.#table.desired.get(uid);
    if (pod) this.#table.workers.get(uid)?.update(this.#allocated(pod));
  }

  /** Waits if needed: a changed static pod has another UID, and the old one ends first. */
  #mustWait(pod: Pod): boolean {
    if (!isStaticPod(pod)) return false;
    const name = fullName(pod);
    return [...this.#table.workers.values()].some(
      ({ pod: other, state }) =>
        other.metadata.uid !== pod.metadata.uid &&
        fullName(other) === name &&
        state.kind !== "finished",
    );
  }

  #changed(worker: PodWorker): void {
    const uid = worker.pod.metadata.uid ?? "";
    if (worker.state.kind === "terminated") this.#options.statuses.rewrite(uid);
    if (worker.state.kind !== "finished") return;
    const again = this.#table.desired.get(uid);
    if (!again || this.#returned.delete(uid)) this.#drop(uid, worker);
    if (again && !this.#table.workers.has(uid)) this.#start(again);
    const mirror = again || this.#table.mirrors.get(fullName(worker.pod));
    if (mirror && isMirrorPod(mirror) && !this.#staticFor(mirror)) {
      void this.#options.mirrors.delete(mirror);
    }
    const name = fullName(worker.pod);
    const next = this.#waiting.get(name);
    // It waits for all earlier ones: one that was itself waiting ends before the running one.
    if (!next || this.#mustWait(next)) return;
    this.#waiting.delete(name);
    this.#table.workers.get(next.metadata.uid ?? "")?.update(next);
  }

  #drop(uid: string, worker: PodWorker): void {
    worker.close();
    this.#table.workers.delete(uid);
    this.#forget(uid);
  }

  /** Changes of a pod that arrive after its end make entries again. */
  #forget(uid: string): void {
    this.#options.statuses.forget(uid);
    this.#options.resizing.forget(uid);
  }
}
