/** Limit of waiting items before push() asks the writer to pause (count). */
const comfortable = 64;

/**
 * A queue: one side pushes, the other iterates. Items that wait are references only, so there is no limit: writers of
 * bytes use the result of push().
 */
export class Pipe<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #ended: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;

  /** False if many items wait: the writer should await drained(). */
  push(item: T): boolean {
    if (this.#ended) return false;
    this.#items.push(item);
    this.#wake?.();
    return this.#items.length < comfortable;
  }

  /**
   * Ends the pipe; only the first call counts. Waiting items are still read, then an error, if there is one, is thrown.
   */
  end(error: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
    this.#drained?.();
  }

  /** Resolves when all pushed items have been read, or the pipe has ended. */
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
