/** Upstream: pkg/kubelet/kubelet.go (HandlePodAdditions…), pkg/kubelet/pod/pod_manager.go. */
import type { Pod } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { PodAccess } from "../state/pod-access.ts";
import { describePod } from "../state/pod-containers.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { Admission, Eviction } from "../state/pod-services.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import { preemption } from "./admission/preemption.ts";
import { type PodWork, PodWorker } from "./pod-worker.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";
import { fullName, isMirrorPod, isStaticPod } from "./static/static-pods.ts";

const log = logger("kubelet");

export interface NodePodsOptions {
  readonly work: PodWork;
  readonly clock: Clock;
  readonly watch: RuntimeWatch;
  readonly statuses: StatusWriter;
  readonly events: PodEvents;
  /** Whether a pod may start beside those that are here. */
  admit(pod: Pod, others: readonly Pod[]): Admission;
  /** Pods that are to end so that one that was refused has room; undefined if it stays refused. */
  makeRoom(pod: Pod, others: readonly Pod[]): readonly Pod[] | undefined;
  /** The pod with the resources that the node grants it beside the others. */
  allocate(pod: Pod, others: readonly Pod[]): Pod;
  /** Told of a mirror pod whose static pod is gone. */
  orphanedMirror(mirror: Pod): void;
}

/** The pods that this node is to run, and a worker for each that it has, wanted or not. */
export class NodePods implements PodAccess {
  readonly #options: NodePodsOptions;
  /** As wanted, by UID; mirror pods are not among them. */
  readonly #wanted = new Map<string, Pod>();
  /** By full name. */
  readonly #mirrors = new Map<string, Pod>();
  readonly #workers = new Map<string, PodWorker>();
  /** Static pods that wait until an earlier one of the same name is gone. */
  readonly #waiting = new Map<string, Pod>();
  /** Pods that are wanted again while an earlier time of them is still ending: static ones keep their UID. */
  readonly #returned = new Set<string>();
  /** Critical pods that wait until others have made room. */
  readonly #making = new Set<string>();
  #complete = false;

  constructor(options: NodePodsOptions) {
    this.#options = options;
  }

  /** A pod is wanted, or has changed. */
  set(pod: Pod): void {
    if (isMirrorPod(pod)) this.#setMirror(pod);
    else this.#setWanted(pod);
  }

  #setWanted(pod: Pod): void {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const known = this.#wanted.has(uid);
    this.#wanted.set(uid, pod);
    const worker = this.#workers.get(uid);
    if (worker && !known && worker.state.kind !== "syncing") this.#returned.add(uid);
    if (worker && worker.state.kind === "finished" && this.#returned.has(uid)) {
      this.#changed(worker);
      return;
    }
    if (worker) {
      this.#options.statuses.reconcile(uid);
      const waits = this.#waiting.get(fullName(pod))?.metadata.uid === uid;
      if (!waits) worker.update(this.#allocated(pod));
      return;
    }
    if (this.#making.has(uid)) return;
    const rejected = known ? this.#isRejected(uid) : !this.#admits(pod);
    // A pod that was rejected needs a worker only to be deleted.
    if (!rejected || deletionTimestamp !== undefined) this.#start(pod);
  }

  /** A pod is no longer wanted. */
  delete(pod: Pod): void {
    if (isMirrorPod(pod)) {
      this.#mirrors.delete(fullName(pod));
      this.#staticFor(pod)?.wake();
      return;
    }
    const uid = pod.metadata.uid ?? "";
    this.#wanted.delete(uid);
    this.#waiting.delete(fullName(pod));
    const worker = this.#workers.get(uid);
    if (!worker) this.#options.statuses.forget(uid);
    else if (worker.state.kind === "finished") this.#drop(uid, worker);
    else worker.end();
  }

  /** Something happened to a pod that its worker should know. */
  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  /** Something happened that all pods may have to react to. */
  wakeAll(): void {
    for (const worker of this.#workers.values()) worker.wake();
  }

  /** Ends a pod and reports it failed. */
  readonly evict = async (pod: Pod, eviction: Eviction): Promise<void> => {
    const worker = this.#workers.get(pod.metadata.uid ?? "");
    if (!worker) return;
    worker.end(eviction);
    await worker.stopped;
  };

  /** Stops what the runtime has of a pod that nobody wants. */
  adoptOrphan(observed: ObservedPod): void {
    const { uid, name, namespace } = observed;
    if (this.#workers.has(uid)) return;
    log.info("stopping a pod that is no longer wanted", {
      pod: `${namespace}/${name}`,
      podUID: uid,
    });
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, uid },
      spec: { containers: [], terminationGracePeriodSeconds: 1 },
    };
    this.#start(pod).end();
  }

  mirrorOf(pod: Pod): Pod | undefined {
    return this.#mirrors.get(fullName(pod));
  }

  mirrors(): readonly Pod[] {
    return [...this.#mirrors.values()];
  }

  /** What the API server has of a pod: a static one's mirror. */
  apiPod(uid: string): Pod | undefined {
    const pod = this.#wanted.get(uid) ?? this.#workers.get(uid)?.pod;
    return pod && isStaticPod(pod) ? this.mirrorOf(pod) : this.#wanted.get(uid);
  }

  /** Whether containers of a pod may run. */
  mayRun(uid: string): boolean {
    const kind = this.#workers.get(uid)?.state.kind;
    return kind === "syncing" || kind === "terminating";
  }

  isWanted(uid: string): boolean {
    return this.#wanted.has(uid);
  }

  workerUIDs(): ReadonlySet<string> {
    return new Set(this.#workers.keys());
  }

  pods(): readonly Pod[] {
    return [...this.#wanted.values()].map((pod) => this.#withStatus(pod));
  }

  find(namespace: string, name: string): Pod | undefined {
    for (const pod of this.#wanted.values()) {
      const { metadata } = pod;
      if (metadata.name === name && metadata.namespace === namespace) return this.#withStatus(pod);
    }
    return undefined;
  }

  /** Also by the UID of a static pod's mirror. */
  findByUID(uid: string): Pod | undefined {
    const pod = this.#wanted.get(uid);
    if (pod) return this.#withStatus(pod);
    const mirror = this.mirrors().find(({ metadata }) => metadata.uid === uid);
    return mirror && this.find(mirror.metadata.namespace ?? "", mirror.metadata.name ?? "");
  }

  observed(uid: string): ObservedPod | undefined {
    return this.#options.watch.get(uid);
  }

  allObserved(): readonly ObservedPod[] {
    return this.#options.watch.all();
  }

  /** All pods that are wanted now are known: what isn't among them may go. */
  complete(): void {
    this.#complete = true;
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  mayRemoveContainers(uid: string): boolean {
    if (!this.#complete) return false;
    const worker = this.#workers.get(uid);
    return worker ? worker.state.kind === "terminated" || worker.state.kind === "finished" : true;
  }

  mayRemoveContent(uid: string): boolean {
    if (!this.#complete) return false;
    const worker = this.#workers.get(uid);
    if (worker) return worker.state.kind === "finished" && !this.#wanted.has(uid);
    return !this.#wanted.has(uid);
  }

  /** Pods that use up resources of the node. */
  active(): readonly Pod[] {
    return [...this.#workers.values()]
      .filter(({ state, pod }) => {
        const uid = pod.metadata.uid ?? "";
        return this.#wanted.has(uid) && (state.kind === "syncing" || state.kind === "terminating");
      })
      .map(({ pod }) => pod);
  }

  /** Forgets workers that have nothing left to do for a pod that nobody wants. */
  dropFinished(): void {
    for (const [uid, worker] of this.#workers) {
      if (worker.state.kind === "finished" && !this.#wanted.has(uid)) this.#drop(uid, worker);
    }
  }

  close(): void {
    for (const worker of this.#workers.values()) worker.close();
  }

  #withStatus(pod: Pod): Pod {
    const status = this.#options.statuses.get(pod.metadata.uid ?? "");
    return status ? { ...pod, status } : pod;
  }

  #setMirror(mirror: Pod): void {
    this.#mirrors.set(fullName(mirror), mirror);
    const worker = this.#staticFor(mirror);
    if (worker) {
      this.#options.statuses.rewrite(worker.pod.metadata.uid ?? "");
      worker.wake();
    } else this.#options.orphanedMirror(mirror);
  }

  #staticFor(mirror: Pod): PodWorker | undefined {
    const name = fullName(mirror);
    return [...this.#workers.values()].find(
      ({ pod }) =>
        isStaticPod(pod) && fullName(pod) === name && this.isWanted(pod.metadata.uid ?? ""),
    );
  }

  #isRejected(uid: string): boolean {
    return this.#options.statuses.get(uid)?.phase === "Failed";
  }

  #admits(pod: Pod): boolean {
    const { phase } = pod.status ?? {};
    const uid = pod.metadata.uid ?? "";
    const runs = this.#options.watch.get(uid)?.containers.some(({ state }) => state === "running");
    const old = phase === "Failed" || phase === "Succeeded" || pod.metadata.deletionTimestamp;
    if (old || runs) return true;
    const others = this.active().filter(({ metadata }) => metadata.uid !== uid);
    const admission = this.#options.admit(pod, others);
    if (admission.admitted) return true;
    const inTheWay = this.#options.makeRoom(pod, others);
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
    log.info("pod was rejected", { pod: describePod(pod), reason, message });
    return false;
  }

  /** Ends the pods that are in the way of a critical one, and starts it when they have ended. */
  async #startAfter(pod: Pod, inTheWay: readonly Pod[]): Promise<void> {
    const uid = pod.metadata.uid ?? "";
    this.#making.add(uid);
    await Promise.all(
      inTheWay.map((other) => {
        const eviction = preemption(other);
        const { reason, message } = eviction;
        this.#options.events.record(other, { type: "Warning", reason, message });
        return this.evict(other, eviction);
      }),
    );
    this.#making.delete(uid);
    const wanted = this.#wanted.get(uid);
    if (wanted && !this.#workers.has(uid)) this.#start(wanted);
  }

  #start(pod: Pod): PodWorker {
    const { work, clock } = this.#options;
    const worker = new PodWorker(pod, { work, clock, changed: (one) => this.#changed(one) });
    this.#workers.set(pod.metadata.uid ?? "", worker);
    if (this.#mustWait(pod)) this.#waiting.set(fullName(pod), pod);
    else worker.update(this.#allocated(pod));
    return worker;
  }

  #allocated(pod: Pod): Pod {
    const others = this.active().filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    return this.#options.allocate(pod, others);
  }

  /** Looks again at a pod whose change of resources waits for room. */
  reallocate(uid: string): void {
    const pod = this.#wanted.get(uid);
    if (pod) this.#workers.get(uid)?.update(this.#allocated(pod));
  }

  /** A static pod that was changed has another UID; the old one goes first. */
  #mustWait(pod: Pod): boolean {
    if (!isStaticPod(pod)) return false;
    const name = fullName(pod);
    return [...this.#workers.values()].some(
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
    const again = this.#wanted.get(uid);
    if (!again || this.#returned.delete(uid)) this.#drop(uid, worker);
    if (again && !this.#workers.has(uid)) this.#start(again);
    const mirror = again || this.#mirrors.get(fullName(worker.pod));
    if (mirror && isMirrorPod(mirror) && !this.#staticFor(mirror)) {
      this.#options.orphanedMirror(mirror);
    }
    const name = fullName(worker.pod);
    const next = this.#waiting.get(name);
    if (!next) return;
    this.#waiting.delete(name);
    this.#workers.get(next.metadata.uid ?? "")?.update(next);
  }

  #drop(uid: string, worker: PodWorker): void {
    worker.close();
    this.#workers.delete(uid);
    this.#options.statuses.forget(uid);
  }
}
