/**
 * Runs of the same key are shared: callers that arrive while one is in progress share the next one,
 * so each caller's run begins after its call. At most one run per key is in progress and one waits.
 */
export class SharedRuns {
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();

  run(key: string, work: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    const before = this.#running.get(key) ?? Promise.resolve();
    const next = before
      .catch(() => undefined) // Its own callers see its failure.
      .then(async () => {
        this.#waiting.delete(key);
        this.#running.set(key, next);
        try {
          await work();
        } finally {
          if (this.#running.get(key) === next) this.#running.delete(key);
        }
      });
    this.#waiting.set(key, next);
    return next;
  }
}
