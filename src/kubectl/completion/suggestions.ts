import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Context } from "../command/context.ts";
import { directive } from "./directive.ts";

/** A word that may come next, and what it means. */
export interface Suggestion {
  readonly word: string;
  readonly description?: string | undefined;
}

/** Words that may come next, and what the shell is to do with them. */
export interface Suggestions {
  readonly suggestions: readonly Suggestion[];
  readonly directive: number;
}

/** What is typed so far. */
interface Typed {
  /** The arguments of the command that are complete. */
  readonly args: readonly string[];
  /** The beginning of the one to complete. */
  readonly word: string;
}

/** Suggests arguments of a command or values of a flag. */
export type Completer = (typed: Typed, context: Context) => MaybePromise<Suggestions>;

/** Words as suggestions, for which no file stands in. */
export function suggest(words: readonly string[], more = 0): Suggestions {
  return {
    suggestions: words.map((word) => ({ word })),
    directive: directive.noFiles | more,
  };
}

/** Those that begin as what is typed. */
export function beginning(words: readonly string[], prefix: string): string[] {
  return words.filter((word) => word.startsWith(prefix));
}
