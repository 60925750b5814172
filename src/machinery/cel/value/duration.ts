import { formatFixed } from "./go-float.ts";
import { isInt64 } from "./uint.ts";

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

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const part = /(?:(\d+)(?:\.(\d*))?|\.(\d+))([^.\d]+)/y;

/**
 * A duration such as 1h30m or -1.5s, to the nanosecond; undefined for other texts and for what does not fit.
 *
 * Upstream: Go's time.ParseDuration.
 */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith("-");
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return new Duration(0n);
  if (unsigned === "") return undefined;
  let total = 0n;
  part.lastIndex = 0;
  while (part.lastIndex < unsigned.length) {
    const [matched, whole = "0", fraction, onlyFraction, unitName = ""] = part.exec(unsigned) ?? [];
    const unit = units.get(unitName);
    if (matched === undefined || unit === undefined) return undefined;
    total += BigInt(whole) * unit + fractionNanos(fraction ?? onlyFraction ?? "", unit);
    if (total > 2n ** 63n) return undefined;
  }
  const nanos = negative ? -total : total;
  return isInt64(nanos) ? new Duration(nanos) : undefined;
}

/** The part after the point, computed in floating point as Go does; digits beyond 2^63 are left out. */
function fractionNanos(digits: string, unit: bigint): bigint {
  let fraction = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = fraction * 10n + BigInt(digit);
    if (next > 2n ** 63n) break;
    fraction = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(fraction) * (Number(unit) / scale)));
}
