import { goQuote } from "#/std/go/go-quote.ts";
import { memoByKey } from "#/std/memory/memo.ts";
import { civilDate, daysFromCivil } from "./calendar.ts";
import { CelFault } from "./cel-fault.ts";
import { floorDivide, type Timestamp } from "./timestamp.ts";

/** A point in time as clocks and calendars show it somewhere. */
export interface LocalTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 1. */
  readonly dayOfYear: number;
  /** From 0, Sunday. */
  readonly dayOfWeek: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/**
 * A time in a zone of the IANA's database, or at an offset such as +01:00.
 *
 * Upstream: cel-go/common/stdlib/standard.go.
 */
export function localTime(time: Timestamp, zone: string): LocalTime | CelFault {
  const offset = zone.includes(":") ? fixedOffset(zone) : zoneOffset(time, zone);
  if (offset instanceof CelFault) return offset;
  const seconds = time.unixSeconds + BigInt(offset);
  const days = Number(floorDivide(seconds, 86_400n));
  const { year, month, day } = civilDate(days);
  const secondOfDay = Number(seconds) - days * 86_400;
  return {
    year,
    month,
    day,
    dayOfYear: days - daysFromCivil(year, 1, 1) + 1,
    dayOfWeek: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
    millisecond: Number((time.nanos - time.unixSeconds * 1_000_000_000n) / 1_000_000n),
  };
}

function fixedOffset(zone: string): number | CelFault {
  const colon = zone.indexOf(":");
  const parts = [zone.slice(0, colon), zone.slice(colon + 1)];
  const wrong = parts.find((part) => !/^[+-]?\d{1,15}$/.test(part));
  if (wrong !== undefined) {
    return new CelFault(`strconv.Atoi: parsing ${goQuote(wrong)}: invalid syntax`);
  }
  const [hours = 0, minutes = 0] = parts.map(Number);
  return (hours * 60 + (zone.startsWith("-") ? -minutes : minutes)) * 60;
}

/** Limit of zones whose format is kept (count): there are some six hundred. */
const maxFormats = 1000;

function zoneOffset(time: Timestamp, zone: string): number | CelFault {
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  const format = zoneFormatOf(zone);
  if (format === undefined) return new CelFault(`unknown time zone ${zone}`);
  const parts = format.formatToParts(new Date(Number(time.unixSeconds) * 1000));
  const field = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const era = parts.find((part) => part.type === "era")?.value;
  const year = era === "BC" ? 1 - field("year") : field("year");
  const days = daysFromCivil(year, field("month"), field("day"));
  const local = days * 86_400 + field("hour") * 3600 + field("minute") * 60 + field("second");
  return local - Number(time.unixSeconds);
}

const zoneFormatOf = memoByKey(makeZoneFormat, maxFormats);

function makeZoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  // Names only: Intl would also take offsets without a colon.
  if (!/^[A-Za-z]/.test(zone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
