import { civilDate, daysFromCivil, daysInMonth } from "./calendar.ts";

const nanosPerSecond = 1_000_000_000n;

/** First and last second of the years 1 to 9999. */
const minSeconds = -62_135_596_800n;
const maxSeconds = 253_402_300_799n;

/** A time, with the offset of its original zone. */
export class Timestamp {
  /** Nanoseconds since 1970 in UTC. */
  readonly nanos: bigint;
  readonly offsetSeconds: number;

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }

  /** Whole seconds since 1970. */
  get unixSeconds(): bigint {
    return floorDivide(this.nanos, nanosPerSecond);
  }

  /** Whether its year is in the valid range. */
  get isInRange(): boolean {
    return this.unixSeconds >= minSeconds && this.unixSeconds <= maxSeconds;
  }

  /** RFC 3339 with the significant digits of the fraction. */
  toString(): string {
    const local = this.unixSeconds + BigInt(this.offsetSeconds);
    const days = floorDivide(local, 86_400n);
    const { year, month, day } = civilDate(Number(days));
    const seconds = Number(local - days * 86_400n);
    const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const nanos = String(this.nanos - this.unixSeconds * nanosPerSecond).padStart(9, "0");
    const fraction = nanos.replace(/0+$/, "");
    const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
    const clock = `${time.map((part) => pad(part)).join(":")}${fraction && `.${fraction}`}`;
    return `${date}T${clock}${formatOffset(this.offsetSeconds)}`;
  }
}

const layout =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an RFC 3339 time; undefined for other texts. It may be outside the valid range of
 * timestamps.
 *
 * Upstream: Go's time.Parse with time.RFC3339.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = layout.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [, , , , , , , fraction = "", sign = "+", offsetHours = "0", offsetMinutes = "0"] = match;
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 60) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  return new Timestamp(BigInt(seconds - offset) * nanosPerSecond + nanos, offset);
}

/** The quotient rounded down. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

const pad = (value: number, width = 2): string => String(value).padStart(width, "0");

function formatOffset(seconds: number): string {
  if (seconds === 0) return "Z";
  const minutes = Math.floor(Math.abs(seconds) / 60);
  return `${seconds < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
