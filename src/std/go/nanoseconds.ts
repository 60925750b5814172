/** Upstream: time/format.go. */
import { quoteForTime } from "./quote-for-time.ts";

/** An invalid duration, with the message of Go's time.ParseDuration. */
export class DurationError extends SyntaxError {
  override readonly name = "DurationError";
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

const maxInt64 = 2n ** 63n - 1n;

/** Limit of a text (characters): no duration that fits 64 bits needs a hundredth of it. */
const maxTextLength = 1024;

/** Reads a duration such as 1h30m or -1.5s, in nanoseconds: exact, where duration.ts has milliseconds for timers. */
export function parseNanos(text: string): bigint {
  const invalid = () => new DurationError(`time: invalid duration ${quoteForTime(text)}`);
  if (text.length > maxTextLength) throw invalid();
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") throw invalid();
  let nanos = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest);
    const [found = "", whole = "", fraction = "", unit = ""] = match ?? [];
    if (whole === "" && fraction === "") throw invalid();
    if (unit === "")
      throw new DurationError(`time: missing unit in duration ${quoteForTime(text)}`);
    const scale = units.get(unit);
    if (scale === undefined) {
      throw new DurationError(
        `time: unknown unit ${quoteForTime(unit)} in duration ${quoteForTime(text)}`,
      );
    }
    nanos += BigInt(whole || "0") * scale;
    nanos += fractionOf(fraction, scale);
    if (nanos > maxInt64 + (negative ? 1n : 0n)) throw invalid();
    rest = rest.slice(found.length);
  }
  return negative ? -nanos : nanos;
}

/**
 * Go parses the digits that fit 63 bits and continues in floating point, so that long fractions are
 * rounded.
 */
function fractionOf(digits: string, scale: bigint): bigint {
  let value = 0n;
  let divisor = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > maxInt64 / 10n || next > maxInt64 + 1n) break;
    value = next;
    divisor *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(scale) / divisor)));
}

/** Writes nanoseconds as Go's Duration.String does: 72h3m0.5s, 1.5ms, 0s. */
export function formatNanos(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const value = nanos < 0n ? -nanos : nanos;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 3)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 6)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** value / 10^digits without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = String(value % scale)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(value / scale) : `${value / scale}.${fraction}`;
}
