import { quoteForTime } from "#/std/go/quote-for-time.ts";

/** The two layouts of metav1.Time and metav1.MicroTime. */
export type TimeLayout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

export const rfc3339: TimeLayout = "2006-01-02T15:04:05Z07:00";
export const rfc3339Micro: TimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** A point in time as Go and protobuf hold it. */
interface Timestamp {
  /** Since 1970, negative before. */
  readonly seconds: number;
  /** From 0 to 999,999,999, forward from the second. */
  readonly nanos: number;
}

/** Go's zero time, 0001-01-01T00:00:00Z, which JSON has as null. */
export const zeroTimeSeconds = -62135596800;

/** An invalid time; the message is that of Go's time.Parse. */
export class TimeError extends Error {
  override readonly name = "TimeError";
}

const plainTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const plainMicroTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/**
 * Whether a text is certainly in the form of formatTime(): in UTC, of the right length, on a day
 * that every month has.
 */
export function isPlainTime(text: string, layout: TimeLayout): boolean {
  return (layout === rfc3339 ? plainTime : plainMicroTime).test(text);
}

/**
 * Reads a time as Go's time.Parse does with these layouts.
 *
 * Upstream: Go's time/format.go.
 */
export function parseTime(text: string, layout: TimeLayout): Timestamp {
  if (isPlainTime(text, layout)) {
    const nanos = layout === rfc3339 ? 0 : Number(text.slice(20, 26)) * 1000;
    return { seconds: Date.parse(`${text.slice(0, 19)}Z`) / 1000, nanos };
  }
  const reader = new TimeReader(text, layout);
  const year = reader.number("2006", { digits: 4 });
  reader.skip("-");
  const month = reader.number("01", { name: "month", min: 1, max: 12 });
  reader.skip("-");
  const day = reader.number("02");
  reader.skip("T");
  const hour = reader.number("15", { name: "hour", max: 23, short: true });
  reader.skip(":");
  const minute = reader.number("04", { name: "minute", max: 59 });
  reader.skip(":");
  const second = reader.number("05", { name: "second", max: 59 });
  const nanos = reader.fraction();
  const offsetSeconds = reader.zone();
  reader.end();
  if (day < 1 || day > daysIn(year, month)) throw reader.outOfRange("day");
  const date = new Date(0).setUTCFullYear(year, month - 1, day);
  const seconds = date / 1000 + hour * 3600 + minute * 60 + second - offsetSeconds;
  return { seconds, nanos };
}

/** Writes a time in UTC; MicroTime has six digits of fraction, Time has none. */
export function formatTime({ seconds, nanos }: Timestamp, layout: TimeLayout): string {
  const day = Math.floor(seconds / daySeconds);
  const second = seconds - day * daySeconds;
  const clock = `${pad2(second / 3600)}:${pad2((second / 60) % 60)}:${pad2(second % 60)}`;
  if (layout === rfc3339) return `${formatDay(day)}T${clock}Z`;
  const micros = String(Math.trunc(nanos / 1000)).padStart(6, "0");
  return `${formatDay(day)}T${clock}.${micros}Z`;
}

const daySeconds = 86_400;

const twoDigits = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, "0"));

function pad2(value: number): string {
  return twoDigits[Math.trunc(value)] ?? "00";
}

/** The day that was written last: most times of an object or a list are close together. */
let lastDay = Number.NaN;
let lastDayText = "";

function formatDay(day: number): string {
  if (day === lastDay) return lastDayText;
  const date = new Date(day * daySeconds * 1000);
  // Only protobuf can contain a time beyond JavaScript's range of 270,000 years; Go does not create
  // such times.
  if (Number.isNaN(date.getTime())) return "0001-01-01";
  const year = date.getUTCFullYear();
  const written = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
  lastDayText = `${written}-${pad2(date.getUTCMonth() + 1)}-${pad2(date.getUTCDate())}`;
  lastDay = day;
  return lastDayText;
}

function daysIn(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
}

interface NumberRule {
  /** Name of the part, for out-of-range errors. */
  readonly name?: string;
  readonly min?: number;
  readonly max?: number;
  readonly digits?: number;
  /** One digit is sufficient. */
  readonly short?: boolean;
}

class TimeReader {
  readonly #text: string;
  readonly #layout: TimeLayout;
  #rest: string;

  constructor(text: string, layout: TimeLayout) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  number(element: string, rule: NumberRule = {}): number {
    const { name, min = 0, max = Number.POSITIVE_INFINITY, digits = 2, short = false } = rule;
    const pattern = short ? /^\d\d?/ : digits === 4 ? /^\d{4}/ : /^\d\d/;
    const [found] = pattern.exec(this.#rest) ?? [];
    if (found === undefined) throw this.#unparsable(element);
    this.#rest = this.#rest.slice(found.length);
    const value = Number(found);
    if (name !== undefined && (value < min || value > max)) throw this.outOfRange(name);
    return value;
  }

  skip(separator: string): void {
    if (!this.#rest.startsWith(separator)) throw this.#unparsable(separator);
    this.#rest = this.#rest.slice(separator.length);
  }

  /** Nanoseconds; optional in RFC 3339, exactly six digits in a MicroTime. */
  fraction(): number {
    const micro = this.#layout === rfc3339Micro;
    const [found] = (micro ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(this.#rest) ?? [];
    if (found === undefined) {
      if (micro) throw this.#unparsable(".000000");
      return 0;
    }
    this.#rest = this.#rest.slice(found.length);
    return Number(found.slice(1, 10).padEnd(9, "0"));
  }

  /** Seconds east of Greenwich. */
  zone(): number {
    if (this.#rest.startsWith("Z")) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.#rest);
    if (match === null) throw this.#unparsable("Z07:00");
    const [found, sign, hours, minutes] = match;
    if (Number(hours) > 24) throw this.outOfRange("time zone offset hour");
    if (Number(minutes) > 60) throw this.outOfRange("time zone offset minute");
    this.#rest = this.#rest.slice(found.length);
    return (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  }

  end(): void {
    if (this.#rest !== "")
      throw new TimeError(`${this.#head()}: extra text: ${quoteForTime(this.#rest)}`);
  }

  outOfRange(name: string): TimeError {
    return new TimeError(`${this.#head()}: ${name} out of range`);
  }

  #unparsable(element: string): TimeError {
    const cause = `cannot parse ${quoteForTime(this.#rest)} as ${quoteForTime(element)}`;
    return new TimeError(`${this.#head()} as ${quoteForTime(this.#layout)}: ${cause}`);
  }

  #head(): string {
    return `parsing time ${quoteForTime(this.#text)}`;
  }
}
