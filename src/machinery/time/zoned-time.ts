import { memoByKey } from "#/std/memory/memo.ts";
/** A time in the calendar of a zone. */
export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Limit of cached formats by zone (count): there are about six hundred zones. */
const maxFormats = 1000;

/** The local time of a zone; the zone "" is UTC. Throws RangeError for an unknown zone. */
export function wallTime(ms: number, zone: string): WallTime {
  if (zone === "" || zone === "UTC" || zone === "Local") return utcTime(ms);
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  return {
    year: parts.get("era") === "BC" ? 1 - read("year") : read("year"),
    month: read("month"),
    day: read("day"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
  };
}

function utcTime(ms: number): WallTime {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

const formatOf = memoByKey(
  (timeZone: string) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    }),
  maxFormats,
);

/** The offset of a zone from UTC (ms), positive in the east. */
export function zoneOffsetMs(ms: number, zone: string): number {
  const { year, month, day, hour, minute, second } = wallTime(ms, zone);
  // Date.UTC() reads the years 0 to 99 as 1900 to 1999.
  const shown =
    new Date(0).setUTCFullYear(year, month - 1, day) + timeOfDayMs(hour, minute, second);
  return shown - Math.floor(ms / 1000) * 1000;
}

const timeOfDayMs = (hour: number, minute: number, second: number): number =>
  ((hour * 60 + minute) * 60 + second) * 1000;

/** The start of a day; days after the end of a month are those of the next month. */
export function startOfDay(year: number, month: number, day: number, zone: string): number {
  const shown = Date.UTC(year, month - 1, day);
  const guess = shown - zoneOffsetMs(shown, zone);
  return shown - zoneOffsetMs(guess, zone);
}

/** "2006-01-02T15:04:05+01:00", or with "Z" for UTC. */
export function formatZonedTime(ms: number, zone: string): string {
  const offset = Math.round(zoneOffsetMs(ms, zone) / 60_000);
  const text = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const two = (value: number): string => String(value).padStart(2, "0");
  const size = Math.abs(offset);
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
