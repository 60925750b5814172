import type { ClusterEvent } from "../framework/cluster-event.ts";

/** An event with the objects that it is about. */
export interface ObservedEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Events since each in-flight pod was popped from the queue: the reason of a rejection may have ended by the time the
 * pod returns. Events are stored once for all pods, beginning with the pod that was popped first.
 *
 * Upstream: pkg/scheduler/backend/queue/active_queue.go.
 */
export class InFlight {
  /** UID → number of the first event after the pod was popped, in the order of popping. */
  readonly #pods = new Map<string, number>();
  #events: ObservedEvent[] = [];
  /** The number of the first stored event. */
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

  /** Stores an event if any pod is in flight. */
  observe(event: ObservedEvent): void {
    if (this.#pods.size > 0) this.#events.push(event);
  }

  /** Events since the pod was popped; undefined if it isn't in flight. */
  eventsSince(uid: string): readonly ObservedEvent[] | undefined {
    const from = this.#pods.get(uid);
    return from === undefined ? undefined : this.#events.slice(from - this.#first);
  }

  /** Removes a pod, and the events that no other in-flight pod needs. */
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
