import { goQuote } from "#/std/go/go-quote.ts";
import { zoneOffsetMs } from "../../time/zoned-time.ts";
import { civilDate, daysFromCivil } from "./calendar.ts";
import { CelFault } from "./cel-fault.ts";
import { floorDivide, type Timestamp } from "./timestamp.ts";

/** A time in the calendar of a zone. */
export interface LocalTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 1. */
  readonly dayOfYear: number;
  /** From 0 for Sunday. */
  readonly dayOfWeek: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/**
 * A time in a zone of the IANA database, or at an offset such as +01:00.
 *
 * Upstream: vendor/github.com/google/cel-go/common/stdlib/standard.go.
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

function zoneOffset(time: Timestamp, zone: string): number | CelFault {
  const unknown = () => new CelFault(`unknown time zone ${zone}`);
  // Names only: Intl would also accept offsets without a colon.
  if (zone !== "" && !/^[A-Za-z]/.test(zone)) return unknown();
  try {
    return zoneOffsetMs(Number(time.unixSeconds) * 1000, zone) / 1000;
  } catch (error) {
    if (error instanceof RangeError) return unknown();
    throw error;
  }
}
