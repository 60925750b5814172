/** Upstream: github.com/spf13/cobra/completions.go (checkIfFlagCompletion). */
import { type FlagSet, typeOf } from "#/std/flags/flags.ts";

/** The role of the last word of a command line. */
export interface FlagTarget {
  /** The flag whose value it is. */
  readonly flag?: string;
  /** An unknown flag whose value it would be. */
  readonly unknown?: string;
  /** The words before, without that flag. */
  readonly args: readonly string[];
  /** The part to complete. */
  readonly word: string;
}

/** Finds the flag whose value is being typed: `--flag=val`, `--flag val`, `-abf val`. */
export function flagToComplete(flags: FlagSet, args: readonly string[], last: string): FlagTarget {
  const equals = last.indexOf("=");
  if (last.startsWith("-")) {
    if (equals < 0) return { args, word: last };
    const given = flagNameIn(last.slice(0, equals));
    return found(flags, given, { args, word: last.slice(equals + 1) }, { args, word: last });
  }
  const previous = args.at(-1) ?? "";
  if (!isFlagWord(previous) || previous.includes("=")) return { args, word: last };
  const given = flagNameIn(previous);
  const whole = { args, word: last };
  if (hasBareValue(flags, given)) return whole;
  return found(flags, given, { args: args.slice(0, -1), word: last }, whole);
}

function isFlagWord(word: string): boolean {
  return (word.startsWith("--") && word.length > 2) || /^-[^-]/.test(word);
}

/** The long name, or the last letter of several. */
function flagNameIn(word: string): string {
  return word.startsWith("--") ? word.slice(2) : (word.at(-1) ?? "");
}

function nameOfFlag(flags: FlagSet, given: string): string | undefined {
  if (given.length !== 1) return Object.hasOwn(flags, given) ? given : undefined;
  const entry = Object.entries(flags).find(([, { shorthand }]) => shorthand === given);
  return entry?.[0] ?? (Object.hasOwn(flags, given) ? given : undefined);
}

function hasBareValue(flags: FlagSet, given: string): boolean {
  if (given === "help" || given === "h") return true;
  const flag = flags[nameOfFlag(flags, given) ?? ""];
  return flag !== undefined && (flag.bare ?? typeOf(flag).bare) !== undefined;
}

function found(
  flags: FlagSet,
  given: string,
  target: FlagTarget,
  otherwise: FlagTarget,
): FlagTarget {
  const flag = nameOfFlag(flags, given);
  return flag === undefined ? { ...otherwise, unknown: given } : { ...target, flag };
}
