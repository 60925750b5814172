import { formatFixed } from "#/std/go/float.ts";
import { DurationError, parseNanos } from "#/std/go/nanoseconds.ts";

/** A duration. Invariant: nanos is an int. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Seconds, with a fraction. */
  get seconds(): number {
    return Number(this.nanos / 1_000_000_000n) + Number(this.nanos % 1_000_000_000n) / 1e9;
  }

  /** In seconds, as in 1.5s. */
  toString(): string {
    return `${formatFixed(this.seconds)}s`;
  }
}

/**
 * Parses a duration such as 1h30m or -1.5s, in nanoseconds; undefined for invalid or out-of-range
 * texts.
 */
export function parseDuration(text: string): Duration | undefined {
  try {
    return new Duration(parseNanos(text));
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}
