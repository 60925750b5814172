/** Something whose parsed form can be made again from its bytes. */
export interface Forgetful {
  /** Drops the parsed form and whatever was made of it. */
  forget(): void;
}

/** How many bytes of JSON the parsed forms of one generation stand for. */
const generationBytes = 64 * 1024 * 1024;

/**
 * Bounds how much is held in parsed form at a time, whatever is stored: what hasn't been used for a generation or two is
 * forgotten. A generation ends when so much was used in it.
 */
export class ParsedForms {
  /** Counts up. */
  generation = 0;
  readonly #limitBytes: number;
  #usedBytes = 0;
  /** Those used in this generation and in the one before, with their sizes. */
  #used = new Map<Forgetful, number>();
  #usedBefore = new Map<Forgetful, number>();

  constructor(limitBytes = generationBytes) {
    this.#limitBytes = limitBytes;
  }

  /** To be called on the first use in a generation; returns the generation. */
  use(form: Forgetful, sizeBytes: number): number {
    this.#used.set(form, sizeBytes);
    this.#usedBytes += sizeBytes;
    const { generation } = this;
    if (this.#usedBytes > this.#limitBytes) this.#turn();
    return generation;
  }

  /** To be called when a form is given up, so that it isn't kept alive here. */
  drop(form: Forgetful): void {
    this.#usedBytes -= this.#used.get(form) ?? 0;
    this.#used.delete(form);
    this.#usedBefore.delete(form);
  }

  #turn(): void {
    for (const form of this.#usedBefore.keys()) if (!this.#used.has(form)) form.forget();
    this.#usedBefore = this.#used;
    this.#used = new Map();
    this.#usedBytes = 0;
    this.generation++;
  }
}

/** All parsed forms of this process. */
export const parsedForms = new ParsedForms();
