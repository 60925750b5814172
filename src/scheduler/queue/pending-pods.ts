import { type QueuedPod, queuedPodKey, wasRejected } from "../framework/queued-pod.ts";
import { type BackoffLimits, backoffUntil, isBackingOff } from "./backoff-times.ts";
import { Heap } from "./heap.ts";

export type QueueName = "active" | "backoff" | "unschedulable";

/** The queues of pending pods. Invariant: a pod is in one of them at most. */
export class PendingPods {
  readonly #active: Heap<QueuedPod>;
  /** Backoff of pods that fitted nowhere; the first of them is tried when no other pod is pending. */
  readonly #backoff: Heap<QueuedPod>;
  /** Backoff of pods whose attempt had an error: they wait for the whole backoff. */
  readonly #errorBackoff: Heap<QueuedPod>;
  readonly #unschedulable = new Map<string, QueuedPod>();
  readonly #limits: BackoffLimits;

  constructor(less: (a: QueuedPod, b: QueuedPod) => boolean, limits: BackoffLimits) {
    const ends = (pod: QueuedPod): number => backoffUntil(pod, limits);
    this.#limits = limits;
    this.#active = new Heap(queuedPodKey, less);
    this.#errorBackoff = new Heap(queuedPodKey, (a, b) => ends(a) < ends(b));
    this.#backoff = new Heap(queuedPodKey, (a, b) => {
      return ends(a) === ends(b) ? less(a, b) : ends(a) < ends(b);
    });
  }

  counts(): { active: number; backoff: number; unschedulable: number; gated: number } {
    let gated = 0;
    for (const { gatedBy } of this.#unschedulable.values()) if (gatedBy !== "") gated++;
    return {
      active: this.#active.size,
      backoff: this.#backoff.size + this.#errorBackoff.size,
      unschedulable: this.#unschedulable.size - gated,
      gated,
    };
  }

  *values(): Generator<QueuedPod, void> {
    yield* this.#active.values();
    yield* this.#backoff.values();
    yield* this.#errorBackoff.values();
    yield* this.#unschedulable.values();
  }

  unschedulable(): QueuedPod[] {
    return this.#unschedulable.size === 0 ? [] : [...this.#unschedulable.values()];
  }

  get hasReady(): boolean {
    return this.#active.size + this.#backoff.size > 0;
  }

  find(key: string): { readonly queued: QueuedPod; readonly queueName: QueueName } | undefined {
    const active = this.#active.get(key);
    if (active) return { queued: active, queueName: "active" };
    const backoff = this.#backoff.get(key) ?? this.#errorBackoff.get(key);
    if (backoff) return { queued: backoff, queueName: "backoff" };
    const unschedulable = this.#unschedulable.get(key);
    return unschedulable && { queued: unschedulable, queueName: "unschedulable" };
  }

  /** Moves a pod into a queue; returns the queue it was in. */
  put(queued: QueuedPod, queueName: QueueName): QueueName | undefined {
    const key = queuedPodKey(queued);
    const from = this.find(key)?.queueName;
    if (from !== undefined && from !== queueName) this.delete(key);
    if (queueName === "unschedulable") this.#unschedulable.set(key, queued);
    else if (queueName === "active") this.#active.set(queued);
    else (wasRejected(queued) ? this.#backoff : this.#errorBackoff).set(queued);
    return from;
  }

  /** Restores the order after a pod has changed. */
  reorder(queued: QueuedPod, queueName: QueueName): void {
    this.put(queued, queueName);
  }

  pop(): QueuedPod | undefined {
    return this.#active.pop() ?? this.#backoff.pop();
  }

  /** Removes the pods whose backoff has ended. */
  takeBackedOff(nowMs: number): QueuedPod[] {
    return [this.#backoff, this.#errorBackoff].flatMap((heap) => {
      const over: QueuedPod[] = [];
      for (let first = heap.peek(); first; first = heap.peek()) {
        if (isBackingOff(first, this.#limits, nowMs)) break;
        heap.pop();
        over.push(first);
      }
      return over;
    });
  }

  delete(key: string): void {
    const heaps = [this.#active, this.#backoff, this.#errorBackoff];
    if (heaps.some((heap) => heap.delete(key) !== undefined)) return;
    this.#unschedulable.delete(key);
  }
}
