/** So many items may wait to be read before a writer that cares is told to pause. */
const comfortable = 64;

/**
 * What one side pushes, the other iterates over. Items that wait are references only, so there is no limit: who writes
 * bytes looks at what push() returns.
 */
export class Pipe<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #ended: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;

  /** False when many items wait: better wait for drained(). */
  push(item: T): boolean {
    if (this.#ended) return false;
    this.#items.push(item);
    this.#wake?.();
    return this.#items.length < comfortable;
  }

  /** No more will come; the first end counts. What waits is still read, then an error is thrown, if there is one. */
  end(error: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
    this.#drained?.();
  }

  /** Resolves when all that was pushed has been read, or the pipe has ended. */
  drained(): Promise<void> {
    if (this.#items.length === 0 || this.#ended) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    return promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      this.#drained?.();
      for (const item of items) yield item;
      if (this.#items.length > 0) continue;
      if (this.#ended) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
