import { re2 } from "#/std/go/re2.ts";

/** A pattern for a whole text. */
export interface Pattern {
  readonly text: string;
  /** Its instructions (count): the work for each character, in the worst case. */
  readonly size: number;
  test(text: string): boolean;
}

/** Limit of the instructions of a pattern (estimate): a larger one takes long to compile. */
const maxSize = 10_000;
/** What a class of Unicode costs (instructions): it has hundreds of ranges. */
const classSize = 50;

/** Compiles a regular expression of Go's syntax, which matches in linear time; or says why it can't be used. */
export function compilePattern(text: string): Pattern | string {
  const classes = (text.match(/\\p/gi)?.length ?? 0) * classSize;
  if (text.length * (1 + repetitionsOf(text)) + classes > maxSize) {
    return `${text} is too large for a regular expression`;
  }
  try {
    const program = re2().RE2JS.compile(text);
    const size = program.programSize() + classes;
    return { text, size, test: (given) => program.matches(given) };
  } catch {
    return `${text} is not a regular expression`;
  }
}

/** How often its parts are repeated, in all. */
function repetitionsOf(text: string): number {
  let sum = 0;
  for (const [, least, most] of text.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) {
    sum += Math.max(Number(least), Number(most ?? 0));
  }
  return sum;
}
