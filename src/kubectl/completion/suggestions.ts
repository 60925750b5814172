import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Context } from "../command/context.ts";
import { directive } from "./directive.ts";

/** A suggested word, and its description. */
export interface Suggestion {
  readonly word: string;
  readonly description?: string | undefined;
}

/** Suggested words, and the directive for the shell. */
export interface Suggestions {
  readonly suggestions: readonly Suggestion[];
  readonly directive: number;
}

/** The state of the command line. */
interface Typed {
  /** The complete arguments of the command. */
  readonly args: readonly string[];
  /** The prefix to complete. */
  readonly word: string;
}

/** Suggests arguments of a command or values of a flag. */
export type Completer = (typed: Typed, context: Context) => MaybePromise<Suggestions>;

/** Words as suggestions, without file completion. */
export function suggest(words: readonly string[], more = 0): Suggestions {
  return {
    suggestions: words.map((word) => ({ word })),
    directive: directive.noFiles | more,
  };
}

/** Suggestions with the prefix. */
export function beginning(words: readonly string[], prefix: string): string[] {
  return words.filter((word) => word.startsWith(prefix));
}
