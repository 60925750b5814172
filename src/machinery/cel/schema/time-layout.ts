import { goQuote } from "#/std/go/go-quote.ts";
import { daysInMonth } from "../value/calendar.ts";

/** A time format: the form of each part. */
interface TimeLayout {
  readonly text: string;
  readonly parts: readonly TimePart[];
}

interface TimePart {
  /** The part's text in the layout, and in messages. */
  readonly layout: string;
  readonly pattern: RegExp;
  readonly min?: number;
  readonly max?: number;
  readonly name?: string;
}

const literal = (layout: string): TimePart => ({ layout, pattern: new RegExp(`^${layout}`) });
const twoDigits = /^\d\d/;

const dateParts: readonly TimePart[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  literal("-"),
  { layout: "01", pattern: twoDigits, min: 1, max: 12, name: "month" },
  literal("-"),
  { layout: "02", pattern: twoDigits, min: 1, max: 31, name: "day" },
];

/** A date without a time. */
export const dateLayout: TimeLayout = { text: "2006-01-02", parts: dateParts };

/** A date and time without a zone. */
export const localTimeLayout: TimeLayout = {
  text: "2006-01-02T15:04:05",
  parts: [
    ...dateParts,
    literal("T"),
    { layout: "15", pattern: /^\d\d?/, min: 0, max: 23, name: "hour" },
    literal(":"),
    { layout: "04", pattern: twoDigits, min: 0, max: 59, name: "minute" },
    literal(":"),
    { layout: "05", pattern: /^\d\d(?:[.,]\d+)?/, min: 0, max: 59.999999999, name: "second" },
  ],
};

/** The error of Go's time.Parse for a text and a layout; undefined if the text is valid. */
export function timeProblem(text: string, { text: layout, parts }: TimeLayout): string | undefined {
  const fail = (why: string) => `parsing time ${goQuote(text)}${why}`;
  let rest = text;
  const values: number[] = [];
  for (const part of parts) {
    const matched = part.pattern.exec(rest)?.[0];
    if (matched === undefined) {
      return fail(
        ` as ${goQuote(layout)}: cannot parse ${goQuote(rest)} as ${goQuote(part.layout)}`,
      );
    }
    const value = Number(matched.replace(",", "."));
    if (part.max !== undefined && (value > part.max || value < (part.min ?? 0))) {
      return fail(`: ${part.name} out of range`);
    }
    if (!Number.isNaN(value)) values.push(value);
    rest = rest.slice(matched.length);
  }
  if (rest !== "") return fail(`: extra text: ${goQuote(rest)}`);
  const [year = 0, month = 1, day = 1] = values;
  return day > daysInMonth(year, month) ? fail(": day out of range") : undefined;
}
