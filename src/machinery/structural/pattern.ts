import { re2 } from "#/std/go/re2.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether a part of the text matches, in time linear in its length. */
  test(text: string): boolean;
}

/** An invalid regular expression; the message is that of Go's regexp package. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Compiles a regular expression of Go's syntax (RE2). Throws PatternError. */
export function compilePattern(pattern: string): Pattern {
  try {
    return re2().RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const unnamed = error.message.endsWith("trailing backslash at end of expression");
    throw new PatternError(unnamed ? `${error.message}: \`\`` : error.message, { cause: error });
  }
}
