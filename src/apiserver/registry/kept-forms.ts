/**
 * Bounds how much is kept that can be made again, whatever is stored: what hasn't been used for a generation or two is
 * forgotten. A generation ends when so much was used in it, or when it is old.
 */
export class KeptForms<T extends object> {
  /** Counts up. */
  generation = 0;
  readonly #limitBytes: number;
  readonly #forget: (owner: T) => void;
  #usedBytes = 0;
  /** Those used in this generation and in the one before, with their sizes. */
  #used = new Map<T, number>();
  #usedBefore = new Map<T, number>();

  constructor(limitBytes: number, forget: (owner: T) => void) {
    this.#limitBytes = limitBytes;
    this.#forget = forget;
  }

  /**
   * Whether so much more can be kept without an end to what others use. Who goes through very many things keeps no more of
   * them than that: the first would be forgotten before they are of use again.
   */
  hasRoom(sizeBytes: number): boolean {
    return this.#usedBytes + sizeBytes <= this.#limitBytes;
  }

  /** To be called on the first use in a generation, and when the size becomes another; returns the generation. */
  use(owner: T, sizeBytes: number): number {
    this.#usedBytes += sizeBytes - (this.#used.get(owner) ?? 0);
    this.#used.set(owner, sizeBytes);
    const { generation } = this;
    if (this.#usedBytes > this.#limitBytes) this.endGeneration();
    return generation;
  }

  /** To be called when a form is given up, so that its owner isn't kept alive here. */
  drop(owner: T): void {
    this.#usedBytes -= this.#used.get(owner) ?? 0;
    this.#used.delete(owner);
    this.#usedBefore.delete(owner);
  }

  /** Forgets what was not used in this generation nor in the one before it, and begins another. */
  endGeneration(): void {
    for (const owner of this.#usedBefore.keys()) if (!this.#used.has(owner)) this.#forget(owner);
    this.#usedBefore = this.#used;
    this.#used = new Map();
    this.#usedBytes = 0;
    this.generation++;
  }
}
