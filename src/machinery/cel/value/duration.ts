import { formatFixed } from "#/std/go/float.ts";
import { DurationError, parseNanos } from "#/std/go/nanoseconds.ts";

/** A span of time. Invariant: nanos is an int. */
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

/** A duration such as 1h30m or -1.5s, to the nanosecond; undefined for other texts and for what does not fit. */
export function parseDuration(text: string): Duration | undefined {
  try {
    return new Duration(parseNanos(text));
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}
