/** Upstream: staging/src/k8s.io/client-go/util/workqueue. */
import { type Backoff, exponentialBackoff } from "../time/backoff.ts";
import { type Clock, systemClock, type Timer } from "../time/clock.ts";
import { TokenBucket } from "../time/token-bucket.ts";

/** Callbacks of a queue for metrics, all optional; see queue-metrics.ts. */
export interface QueueObserver {
  /** Called once, with a function that returns how long each taken key has been in work. */
  attach?(workingSeconds: () => readonly number[]): void;
  /** Number of keys ready to be taken. */
  depth?(count: number): void;
  added?(): void;
  retried?(): void;
  /** How long a key was ready before it was taken. */
  waited?(seconds: number): void;
  /** How long it then took until done(). */
  worked?(seconds: number): void;
}

/** The delay of a failed key is the longer one of its own back-off and of the rate of all keys. */
export interface RetryOptions {
  /** Back-off of each key; default 5 ms doubling up to 1000 s, as upstream's. */
  readonly backoff?: Backoff;
  /**
   * Limit of retries of all keys together; default 10 per second after a burst of 100, as
   * upstream's.
   */
  readonly rate?: RetryRate | "unlimited";
}

interface RetryRate {
  readonly qps: number;
  readonly burst: number;
}

export interface WorkQueueOptions extends RetryOptions {
  readonly clock?: Clock;
  /** Limit of keys, ready and delayed together; default 1,000,000. */
  readonly capacity?: number;
  readonly observer?: QueueObserver;
}

const defaultRate: RetryRate = { qps: 10, burst: 100 };

/** Above any cluster's number of objects of one kind: reaching it means a leak, not load. */
const defaultCapacity = 1_000_000;

/** Thrown by an add to a full queue. */
class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

/**
 * Keys to be processed. A key is in the queue once however often it is added, and is never handed
 * out twice at a time: added while in work, it is queued again after done(). Keys are compared as
 * in a Map.
 */
export class WorkQueue<Key> {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #retries: TokenBucket | undefined;
  readonly #capacity: number;
  readonly #observer: QueueObserver;
  /** Ready keys in order, with the time each was added. */
  readonly #ready = new Map<Key, number>();
  /**
   * Keys taken and not yet done, with the time each was taken. Invariant: none of them is ready.
   */
  readonly #working = new Map<Key, number>();
  /** Keys added while in work. Invariant: all of them are in #working. */
  readonly #again = new Set<Key>();
  readonly #delayed = new Map<Key, { readonly dueMs: number; readonly timer: Timer }>();
  readonly #failures = new Map<Key, number>();
  readonly #takers = new Set<(key: Key | undefined) => void>();
  readonly #drained = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#backoff = options.backoff ?? exponentialBackoff({ baseMs: 5, maxMs: 1_000_000 });
    const { rate = defaultRate } = options;
    this.#retries =
      rate === "unlimited" ? undefined : new TokenBucket({ ...rate, clock: this.#clock });
    this.#capacity = options.capacity ?? defaultCapacity;
    this.#observer = options.observer ?? {};
    this.#observer.attach?.(() => {
      const now = this.#clock.monotonicMs();
      return [...this.#working.values()].map((since) => (now - since) / 1000);
    });
  }

  /** Number of ready keys. */
  get length(): number {
    return this.#ready.size;
  }

  /** Number of keys taken and not done. */
  get working(): number {
    return this.#working.size;
  }

  /** Makes a key ready now. After shutdown() it does nothing. */
  add(key: Key): void {
    if (this.#closed || this.#ready.has(key) || this.#again.has(key)) return;
    const inWork = this.#working.has(key);
    if (!inWork) this.#assertRoom();
    this.#observer.added?.();
    if (inWork) this.#again.add(key);
    else this.#makeReady(key);
  }

  /** Makes a key ready after a delay; an earlier time of the same key has priority. */
  addAfter(key: Key, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const dueMs = this.#clock.monotonicMs() + ms;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.dueMs <= dueMs) return;
    if (!earlier) this.#assertRoom();
    earlier?.timer.cancel();
    const timer = this.#clock.setTimer(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMs, timer });
  }

  /**
   * Makes a failed key ready again, after a delay that grows with each failure since forget(), and
   * with the number of failures of all keys.
   */
  addRateLimited(key: Key): void {
    if (this.#closed) return;
    const failures = this.retries(key) + 1;
    this.#failures.set(key, failures);
    this.#observer.retried?.();
    this.addAfter(key, Math.max(this.#backoff(failures), this.#retries?.reserveMs() ?? 0));
  }

  /** Resets the back-off of a key. Call it after success. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /** Number of calls of addRateLimited since forget(). */
  retries(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /**
   * The next key, waiting for one; undefined once the queue is shut down and empty. Rejects with
   * the signal's reason. Each key must be given back with done().
   */
  get(signal?: AbortSignal): Promise<Key | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const first = this.#ready.keys().next();
    if (!first.done) return Promise.resolve(this.#take(first.value));
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const taker = (key: Key | undefined): void => {
        signal?.removeEventListener("abort", abort);
        resolve(key);
      };
      const abort = (): void => {
        this.#takers.delete(taker);
        reject(signal?.reason);
      };
      this.#takers.add(taker);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Marks the work on a key as ended, with or without success. */
  done(key: Key): void {
    const since = this.#working.get(key);
    if (since === undefined) return;
    this.#working.delete(key);
    this.#observer.worked?.((this.#clock.monotonicMs() - since) / 1000);
    if (this.#again.delete(key)) this.#makeReady(key);
    this.#settleDrained();
  }

  /**
   * Refuses new keys and drops delayed ones. Ready keys are still handed out. Resolves when these
   * and the work in progress are done.
   */
  shutdown(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#failures.clear();
    for (const taker of this.#takers) taker(undefined);
    this.#takers.clear();
    this.#settleDrained();
    return this.#drained.promise;
  }

  #makeReady(key: Key): void {
    this.#ready.set(key, this.#clock.monotonicMs());
    this.#observer.depth?.(this.#ready.size);
    const [taker] = this.#takers;
    if (!taker) return;
    this.#takers.delete(taker);
    taker(this.#take(key));
  }

  #take(key: Key): Key {
    const now = this.#clock.monotonicMs();
    const since = this.#ready.get(key) ?? now;
    this.#ready.delete(key);
    this.#working.set(key, now);
    this.#observer.depth?.(this.#ready.size);
    this.#observer.waited?.((now - since) / 1000);
    return key;
  }

  #settleDrained(): void {
    if (this.#closed && this.#ready.size === 0 && this.#working.size === 0) this.#drained.resolve();
  }

  #assertRoom(): void {
    if (this.#ready.size + this.#delayed.size < this.#capacity) return;
    throw new QueueFullError(`the work queue is full (${this.#capacity} keys)`);
  }
}
