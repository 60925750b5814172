/** A map with a limit that drops the least recently used entry. */
export class LruMap<Key, Value> {
  readonly #limit: number;
  /**
   * In the order of use, the oldest first. The first key object is kept, so that a long text isn't
   * replaced by an equal one each time.
   */
  readonly #entries = new Map<Key, { readonly key: Key; readonly value: Value }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(entry.key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { key, value });
    if (this.#entries.size <= this.#limit) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
