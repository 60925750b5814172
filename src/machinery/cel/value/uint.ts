/** An unsigned 64-bit integer. Invariant: 0 <= value < 2^64. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export const maxUint64 = 2n ** 64n - 1n;
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** Whether a number is an int. */
export const isInt64 = (value: bigint): boolean => value <= maxInt64 && value >= minInt64;

/** Whether a number is a uint. */
export const isUint64 = (value: bigint): boolean => value <= maxUint64 && value >= 0n;
