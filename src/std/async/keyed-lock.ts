import { orAborted } from "./aborted.ts";

/** Runs work one after another for each key; work of different keys runs at the same time. */
export class KeyedLock {
  /** The end of the last work in the queue of each key. */
  readonly #last = new Map<string, Promise<void>>();

  /** Work whose signal aborts before its turn is not run: the promise rejects with the signal's reason. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const mine = before ? before.then(() => ended) : ended;
    this.#last.set(key, mine);
    try {
      if (before) await (signal ? orAborted(before, signal) : before);
      signal?.throwIfAborted();
      return await work();
    } finally {
      end();
      if (this.#last.get(key) === mine) {
        // Those before may still run if this one was aborted: the key stays until they have ended.
        void mine.then(() => this.#last.get(key) === mine && this.#last.delete(key));
      }
    }
  }
}
