import type { ClusterEvent } from "../framework/cluster-event.ts";

/** An event with the objects that it is about. */
export interface ObservedEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * What happened since each pod in work was taken from the queue: a pod may be refused for a reason that is gone by the
 * time it comes back. Events are kept once for all pods, from the one that was taken first on.
 *
 * Upstream: kubernetes/pkg/scheduler/backend/queue/active_queue.go.
 */
export class InFlight {
  /** UID → number of the first event that the pod has not seen, in the order they were taken. */
  readonly #pods = new Map<string, number>();
  #events: ObservedEvent[] = [];
  /** The number of the first event that is kept. */
  #first = 0;

  get podCount(): number {
    return this.#pods.size;
  }

  get eventCount(): number {
    return this.#events.length;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  start(uid: string): void {
    this.#pods.set(uid, this.#first + this.#events.length);
  }

  /** Keeps an event if any pod is in work. */
  observe(event: ObservedEvent): void {
    if (this.#pods.size > 0) this.#events.push(event);
  }

  /** What happened since the pod was taken; undefined if it isn't in work. */
  eventsSince(uid: string): readonly ObservedEvent[] | undefined {
    const from = this.#pods.get(uid);
    return from === undefined ? undefined : this.#events.slice(from - this.#first);
  }

  /** Lets go of a pod, and of the events that no other needs. */
  done(uid: string): void {
    const from = this.#pods.get(uid);
    if (from === undefined) return;
    this.#pods.delete(uid);
    const oldest = this.#pods.values().next();
    if (oldest.done) {
      this.#first += this.#events.length;
      this.#events = [];
    } else if (oldest.value > this.#first && from < oldest.value) {
      this.#events = this.#events.slice(oldest.value - this.#first);
      this.#first = oldest.value;
    }
  }
}
