import { parseInt64 } from "#/machinery/values/int64.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * Indexes of an Indexed Job, written as "1,3-5,7".
 *
 * Upstream: pkg/apis/batch/validation/validation.go.
 */
export class IndexListError extends Error {
  override readonly name = "IndexListError";
}

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Number of indexes in a list. Throws IndexListError. */
export function countIndexes(text: string, completions: number): number {
  let total = 0;
  let previous: number | undefined;
  for (const interval of text === "" ? [] : text.split(",")) {
    const { first, last } = parseInterval(interval, completions);
    if (previous !== undefined && previous >= first) throw notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** An index that is in both lists; intervals that cannot be parsed are ignored. */
export function overlap(a: string, b: string, completions: number): number | undefined {
  const left = readable(a, completions);
  const right = readable(b, completions);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const [x, y] = [left[i], right[j]];
    if (!x || !y) break;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}

function readable(text: string, completions: number): Interval[] {
  if (text === "") return [];
  return text.split(",").flatMap((interval) => {
    try {
      return [parseInterval(interval, completions)];
    } catch (error) {
      if (error instanceof IndexListError) return [];
      throw error;
    }
  });
}

function parseInterval(text: string, completions: number): Interval {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0) {
    throw new IndexListError(
      `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  }
  const first = parseIndex(low, completions);
  if (high === undefined) return { first, last: first };
  const last = parseIndex(high, completions);
  if (first >= last) throw notIncreasing(first, last);
  return { first, last };
}

function parseIndex(text: string, completions: number): number {
  const value = parseInt64(text);
  if (value === undefined) {
    throw new IndexListError(`cannot convert string to integer for index: ${goQuote(text)}`);
  }
  if (value >= BigInt(completions)) {
    throw new IndexListError(`too large index: ${goQuote(text)}`);
  }
  return Number(value);
}

const notIncreasing = (previous: number, current: number): IndexListError =>
  new IndexListError(`non-increasing order, previous: ${previous}, current: ${current}`);
