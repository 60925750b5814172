/** A seeded random generator (mulberry32), so that generated cases are the same in every run. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Some of the choices, each with the given probability, in their order or (shuffled) in any. */
  some<T>(choices: readonly T[], probability = 0.5, shuffled = false): T[] {
    const kept = choices.filter(() => this.chance(probability));
    if (!shuffled) return kept;
    for (let index = kept.length - 1; index > 0; index--) {
      const other = this.below(index + 1);
      [kept[index], kept[other]] = [kept[other] as T, kept[index] as T];
    }
    return kept;
  }
}
