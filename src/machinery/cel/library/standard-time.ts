import { type FunctionDecl, type Implementation, member } from "../model/declaration.ts";
import { durationType, intType, stringType, timestampType } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { Duration } from "../value/duration.ts";
import { type LocalTime, localTime } from "../value/time-zone.ts";
import { Timestamp } from "../value/timestamp.ts";

/** Parts of times and durations. */
export const timeFunctions: readonly FunctionDecl[] = [
  part("getFullYear", "year", (time) => time.year),
  part("getMonth", "month", (time) => time.month - 1),
  part("getDayOfYear", "day_of_year", (time) => time.dayOfYear - 1),
  part("getDayOfMonth", "day_of_month", (time) => time.day - 1),
  part("getDate", "day_of_month_1_based", (time) => time.day),
  part("getDayOfWeek", "day_of_week", (time) => time.dayOfWeek),
  part("getHours", "hours", (time) => time.hour, 3_600_000_000_000n),
  part("getMinutes", "minutes", (time) => time.minute, 60_000_000_000n),
  part("getSeconds", "seconds", (time) => time.second, 1_000_000_000n),
  part("getMilliseconds", "milliseconds", (time) => time.millisecond, 1_000_000n),
];

/**
 * A part of a time in UTC or another zone, and optionally of a duration, in units of
 * `unitNanos` nanoseconds.
 */
function part(
  name: string,
  id: string,
  get: (time: LocalTime) => number,
  unitNanos?: bigint,
): FunctionDecl {
  const inZone = (time: CelValue = null, zone: CelValue = "UTC"): CelResult => {
    if (!(time instanceof Timestamp) || typeof zone !== "string")
      return new CelFault("no such overload");
    const local = localTime(time, zone);
    return local instanceof CelFault ? local : BigInt(get(local));
  };
  const withZone = id === "seconds" ? "timestamp_to_seconds_tz" : `timestamp_to_${id}_with_tz`;
  const overloads = [
    member(`timestamp_to_${id}`, [timestampType], intType, (time) => inZone(time)),
    member(withZone, [timestampType, stringType], intType, inZone as Implementation),
  ];
  if (unitNanos !== undefined) {
    overloads.push(
      member(`duration_to_${id}`, [durationType], intType, (value) => {
        return value instanceof Duration
          ? value.nanos / unitNanos
          : new CelFault("no such overload");
      }),
    );
  }
  return { name, overloads };
}
