import { maxUint64 } from "../value/uint.ts";

/**
 * A minimum and a maximum: of sizes in elements or code points, or of costs. Invariant: both are
 * uints.
 */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The range of an unknown value. */
export const unknownRange: Range = { min: 0n, max: maxUint64 };

/** The range of a known value. */
export const exactly = (value: bigint | number): Range => ({
  min: BigInt(value),
  max: BigInt(value),
});

export const zeroRange: Range = exactly(0);

const saturate = (value: bigint): bigint => (value > maxUint64 ? maxUint64 : value);

/** The sum; an overflow gives the largest uint. */
export function addRanges(...ranges: readonly Range[]): Range {
  let min = 0n;
  let max = 0n;
  for (const range of ranges) {
    min = saturate(min + range.min);
    max = saturate(max + range.max);
  }
  return { min, max };
}

/** The product; an overflow gives the largest uint. */
export function multiplyRanges(a: Range, b: Range): Range {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

/** A multiple by a factor, rounded up. */
export function scaleRange({ min, max }: Range, factor: number): Range {
  return { min: scale(min, factor), max: scale(max, factor) };
}

function scale(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? maxUint64 : BigInt(product);
}

/** The smallest range that contains both. */
export function unionRanges(a: Range, b: Range): Range {
  return { min: lesser(a.min, b.min), max: -lesser(-a.max, -b.max) };
}

/** The smaller of two numbers. */
export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
