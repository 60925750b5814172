/** So many writes may be on their way; of more, the oldest come back as copies. */
const MAX_VALUES = 1_000;

/**
 * Values on their way to etcd and back in a watch. What comes back is the very object that was handed in, so that
 * whoever knows what it means need not read it again.
 */
export class WrittenValues {
  /** By key, the oldest first. */
  readonly #values = new Map<string, Uint8Array>();

  /** The value is about to be written. */
  add(key: string, value: Uint8Array): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= MAX_VALUES) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  /** The value was not written, and won't come. */
  drop(key: string, value: Uint8Array): void {
    if (this.#values.get(key) === value) this.#values.delete(key);
  }

  /** The value that was written, if these are its bytes, else a copy of them. */
  take(key: string, bytes: Uint8Array): Uint8Array {
    const value = this.#values.get(key);
    if (value?.length !== bytes.length || Buffer.compare(value, bytes) !== 0) return bytes.slice();
    this.#values.delete(key);
    return value;
  }
}
