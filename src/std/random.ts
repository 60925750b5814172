/** A number from 0 up to but not including 1, as Math.random() gives. Not for secrets. */
export type Random = () => number;

/** Different in every run. */
export const systemRandom: Random = Math.random;

/** The same numbers for the same seed, so that what went wrong can be seen again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: one 32-bit word of state, a full period, good enough for tests and simulations.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 up to but not including the limit. */
export function randomInt(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
