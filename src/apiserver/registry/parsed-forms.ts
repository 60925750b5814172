/** Something whose parsed form can be made again from its bytes. */
export interface Forgetful {
  /** Drops the parsed form and whatever was made of it. */
  forget(): void;
  /** In which generation it was last used. */
  readonly generation: number;
}

/** How many bytes of JSON the parsed forms of one generation stand for. */
const generationBytes = 64 * 1024 * 1024;

/**
 * Bounds how much is held in parsed form at a time, whatever is stored: what hasn't been used for a generation or two is
 * forgotten. A generation ends when so much was used in it.
 */
export class ParsedForms {
  generation = 0;
  readonly #limitBytes: number;
  #usedBytes = 0;
  #used: Forgetful[] = [];
  #usedBefore: Forgetful[] = [];

  constructor(limitBytes = generationBytes) {
    this.#limitBytes = limitBytes;
  }

  /** To be called on the first use in a generation; returns the generation. */
  use(form: Forgetful, sizeBytes: number): number {
    this.#used.push(form);
    this.#usedBytes += sizeBytes;
    const { generation } = this;
    if (this.#usedBytes > this.#limitBytes) this.#turn();
    return generation;
  }

  #turn(): void {
    for (const form of this.#usedBefore) if (form.generation !== this.generation) form.forget();
    this.#usedBefore = this.#used;
    this.#used = [];
    this.#usedBytes = 0;
    this.generation++;
  }
}

/** All parsed forms of this process. */
export const parsedForms = new ParsedForms();
