/** A number from 0 up to but not including 1, as Math.random() gives. Not for secrets. */
export type Random = () => number;

let draw: Random = Math.random;

/** Different in every run, unless the source was replaced. */
export const systemRandom: Random = () => draw();

/** Makes systemRandom() repeatable in this process until disposed: for simulations. */
export function replaceSystemRandom(random: Random): Disposable {
  const previous = draw;
  draw = random;
  return {
    [Symbol.dispose]: () => {
      draw = previous;
    },
  };
}

/** The same numbers for the same seed, so that failures can be reproduced. */
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

/** A UUID (version 4) from these random numbers. */
export function drawUuid(random: Random): string {
  const digits = Array.from({ length: 30 }, () => randomInt(random, 16).toString(16)).join("");
  const variant = (8 + randomInt(random, 4)).toString(16);
  const part = (start: number, end: number): string => digits.slice(start, end);
  return `${part(0, 8)}-${part(8, 12)}-4${part(12, 15)}-${variant}${part(15, 18)}-${part(18, 30)}`;
}
