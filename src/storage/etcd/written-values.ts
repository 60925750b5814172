/** Limit of values on their way; above it the oldest return as copies. */
const maxValues = 1_000;

/**
 * Values on their way to etcd and back in a watch. A watch returns the same object that was
 * written, so that a parsed form attached to it is found again.
 */
export class WrittenValues {
  /** By key, the oldest first. */
  readonly #values = new Map<string, Uint8Array>();

  /** Adds a value that is about to be written. */
  add(key: string, value: Uint8Array): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= maxValues) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  /** Removes a value that was not written. */
  drop(key: string, value: Uint8Array): void {
    if (this.#values.get(key) === value) this.#values.delete(key);
  }

  /** The written object, if these are its bytes, else a copy of the bytes. */
  take(key: string, bytes: Uint8Array): Uint8Array {
    const value = this.#values.get(key);
    if (value?.length !== bytes.length || Buffer.compare(value, bytes) !== 0) return bytes.slice();
    this.#values.delete(key);
    return value;
  }
}
