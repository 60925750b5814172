/**
 * Limits the memory of derived data, whatever is stored: data not used for one or two generations is dropped. A
 * generation ends when the data used in it reaches the limit, or when it is old.
 */
export class KeptForms<T extends object> {
  /** Increases by one. */
  generation = 0;
  readonly #limitBytes: number;
  readonly #forget: (owner: T) => void;
  #usedBytes = 0;
  /** Owners used in this generation and in the one before, with their sizes (bytes). */
  #used = new Map<T, number>();
  #usedBefore = new Map<T, number>();

  constructor(limitBytes: number, forget: (owner: T) => void) {
    this.#limitBytes = limitBytes;
    this.#forget = forget;
  }

  /**
   * Whether this many bytes fit without ending the generation. A scan of very many objects keeps no more than that: the
   * first would be dropped before they are used again.
   */
  hasRoom(sizeBytes: number): boolean {
    return this.#usedBytes + sizeBytes <= this.#limitBytes;
  }

  /** To be called on the first use in a generation, and when the size changes; returns the generation. */
  use(owner: T, sizeBytes: number): number {
    this.#usedBytes += sizeBytes - (this.#used.get(owner) ?? 0);
    this.#used.set(owner, sizeBytes);
    const { generation } = this;
    if (this.#usedBytes > this.#limitBytes) this.endGeneration();
    return generation;
  }

  /** To be called when a form is dropped, so that its owner is not kept alive here. */
  drop(owner: T): void {
    this.#usedBytes -= this.#used.get(owner) ?? 0;
    this.#used.delete(owner);
    this.#usedBefore.delete(owner);
  }

  /** Drops forms used neither in this generation nor in the one before, and starts the next generation. */
  endGeneration(): void {
    for (const owner of this.#usedBefore.keys()) if (!this.#used.has(owner)) this.#forget(owner);
    this.#usedBefore = this.#used;
    this.#used = new Map();
    this.#usedBytes = 0;
    this.generation++;
  }
}
