import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";

/**
 * Random numbers from one seed. Each part of a simulation has its own, so that a change in one does not change the
 * others.
 */
export class Dice {
  readonly random: Random;

  constructor(seed: number, part: string) {
    let mixed = seed;
    for (const char of part) mixed = Math.imul(mixed ^ (char.codePointAt(0) ?? 0), 0x01000193);
    this.random = seededRandom(mixed);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  /** A whole number from 0 up to but not including the limit. */
  below(limit: number): number {
    return randomInt(this.random, limit);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** One of them; undefined if there are none. */
  find<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** One of them; there must be one. */
  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] as T;
  }

  /** One of them, at random by weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.random() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new Error("no item has a weight");
  }
}
