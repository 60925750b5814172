/** Upstream: Go's time.Duration, as flags and configuration files write it. */
import { formatNanos, parseNanos } from "./nanoseconds.ts";

const nanosPerMs = 1e6;

/** Milliseconds of a duration such as `1h30m5.5s`. Throws DurationError with Go's message. */
export function parseDuration(text: string): number {
  return Number(parseNanos(text)) / nanosPerMs;
}

/** A duration as Go prints it: `1h0m0s`, `1.5s`, `100ms`, `0s`. Rounded to nanoseconds. */
export function formatDuration(ms: number): string {
  return formatNanos(BigInt(Math.round(ms * nanosPerMs)));
}
