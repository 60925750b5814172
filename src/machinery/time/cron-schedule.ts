import { table } from "#/std/base/table.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { parseInt64 } from "../values/int64.ts";
import { isTimeZone } from "./time-zones.ts";

/**
 * A recurring schedule in cron's syntax.
 *
 * Upstream: vendor/github.com/robfig/cron/v3/parser.go, pkg/util/parsers.
 */
export interface CronSchedule {
  /** A fixed period (ms); then there are no fields. */
  readonly everyMs?: number;
  readonly fields?: CronFields;
  /** The time zone in the text itself; undefined if there is none. */
  readonly timeZone?: string;
}

export type CronFields = Readonly<Record<keyof typeof bounds, CronField>>;

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** The field is "*": then the other day field alone selects the days. */
  readonly isStar: boolean;
}

/** An invalid schedule; the message is upstream's. */
export class CronScheduleError extends Error {
  override readonly name = "CronScheduleError";
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const dayNames = "sun mon tue wed thu fri sat".split(" ");
const bounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: monthNames },
  dayOfWeek: { min: 0, max: 6, names: dayNames },
} as const satisfies Record<string, Bounds>;

const descriptors: Readonly<Record<string, string>> = table({
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
});

/** Reads a schedule of five fields, or a named one. Throws CronScheduleError. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new CronScheduleError("empty spec string");
  if (!/^(CRON_)?TZ=/.test(text)) return parseRest(text);
  const space = text.indexOf(" ");
  if (space < 0) {
    const cause = "runtime error: slice bounds out of range [:-1]";
    throw new CronScheduleError(`invalid schedule format: ${cause}`);
  }
  const timeZone = text.slice(text.indexOf("=") + 1, space);
  if (!isTimeZone(timeZone)) {
    throw new CronScheduleError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  }
  return { ...parseRest(text.slice(space).trim()), timeZone };
}

const every = "@every ";

function parseRest(text: string): CronSchedule {
  if (!text.startsWith("@")) return { fields: parseFields(text) };
  const known = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (known !== undefined) return { fields: parseFields(known) };
  if (!text.startsWith(every)) throw new CronScheduleError(`unrecognized descriptor: ${text}`);
  try {
    return { everyMs: parseDuration(text.slice(every.length)) };
  } catch (error) {
    throw new CronScheduleError(
      `failed to parse duration ${text}: ${(error as SyntaxError).message}`,
    );
  }
}

function parseFields(text: string): CronFields {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  const names = Object.keys(bounds) as (keyof typeof bounds)[];
  if (parts.length !== names.length) {
    const found = `found ${parts.length}: [${parts.join(" ")}]`;
    throw new CronScheduleError(`expected exactly ${names.length} fields, ${found}`);
  }
  const fields = names.map((name, index) => [name, parseField(parts[index] ?? "", bounds[name])]);
  return Object.fromEntries(fields) as CronFields;
}

function parseField(text: string, limits: Bounds): CronField {
  const values = new Set<number>();
  let isStar = false;
  for (const expression of text.split(",")) {
    if (expression === "") continue;
    const range = parseRange(expression, limits);
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isStar ||= range.isStar;
  }
  return { values, isStar };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
}

function parseRange(text: string, { min, max, names }: Bounds): Range {
  const [span = "", stepText, ...moreSlashes] = text.split("/");
  const [low = "", high, ...moreHyphens] = span.split("-");
  const isAll = low === "*" || low === "?";
  const start = isAll ? min : parseNumber(low, { min, names });
  let end = isAll ? max : start;
  if (!isAll && high !== undefined) {
    if (moreHyphens.length > 0) throw new CronScheduleError(`too many hyphens: ${text}`);
    end = parseNumber(high, { min, names });
  }
  if (moreSlashes.length > 0) throw new CronScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText, { min: 0 });
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) {
    throw new CronScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  }
  if (end > max) {
    throw new CronScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  }
  if (start > end) {
    throw new CronScheduleError(
      `beginning of range (${start}) beyond end of range (${end}): ${text}`,
    );
  }
  if (step === 0) {
    throw new CronScheduleError(`step of range should be a positive number: ${text}`);
  }
  return { start, end, step, isStar: isAll && step <= 1 };
}

/** A number, or the name of one; the first name means min. */
function parseNumber(
  text: string,
  { min, names }: { readonly min: number; readonly names?: readonly string[] | undefined },
): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return min + named;
  const value = parseInt64(text);
  if (value === undefined) {
    const reason = /^[+-]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
    const cause = `strconv.Atoi: parsing ${goQuote(text)}: ${reason}`;
    throw new CronScheduleError(`failed to parse int from ${text}: ${cause}`);
  }
  if (value < 0n) throw new CronScheduleError(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
