/** Upstream: github.com/spf13/cobra/completions.go. */
import { type Flag, type FlagSet, typeOf } from "#/std/flags/flags.ts";
import { type Command, nameOf } from "../command/command.ts";
import { directive } from "./directive.ts";
import type { Suggestion, Suggestions } from "./suggestions.ts";

interface FlagRequest {
  readonly command: Command;
  /** All flags that the command takes. */
  readonly flags: FlagSet;
  /** Flags that are given already. */
  readonly changed: ReadonlySet<string>;
  readonly word: string;
}

/** Flags with the prefix: the required ones, or if there are none, all. */
export function suggestFlags(request: FlagRequest): Suggestions {
  const required = requiredFlagSuggestions(request);
  const suggestions = required.length > 0 ? required : allFlags(request);
  return { suggestions, directive: directive.noFiles };
}

/** The required flags of a command. */
export function requiredFlagSuggestions({
  command,
  flags,
  changed,
  word,
}: FlagRequest): Suggestion[] {
  return (command.requiredFlags ?? [])
    .filter((name) => !changed.has(name))
    .toSorted()
    .flatMap((name) => formsOf(name, flags[name], word));
}

/** Inherited flags first, each part sorted. */
function allFlags({ command, flags, changed, word }: FlagRequest): Suggestion[] {
  const help = { type: "bool", shorthand: "h", help: `help for ${nameOf(command)}` } as const;
  const own: FlagSet = { help, ...command.persistentFlags, ...command.flags };
  const names = Object.keys({ ...flags, ...own }).sort();
  const isOwn = (name: string): boolean => Object.hasOwn(own, name);
  const ordered = [...names.filter((name) => !isOwn(name)), ...names.filter(isOwn)];
  return ordered
    .filter((name) => !changed.has(name) || isRepeatable(flags[name]))
    .flatMap((name) => formsOf(name, own[name] ?? flags[name], word));
}

function isRepeatable(flag: Flag | undefined): boolean {
  return flag !== undefined && Array.isArray(typeOf(flag).zero);
}

/** The long and the short form of a flag, if they have the prefix. */
function formsOf(name: string, flag: Flag | undefined, word: string): Suggestion[] {
  if (!flag || flag.hidden || flag.deprecated !== undefined) return [];
  const forms = [`--${name}`, ...(flag.shorthand === undefined ? [] : [`-${flag.shorthand}`])];
  return forms
    .filter((form) => form.startsWith(word))
    .map((form) => ({ word: form, description: flag.help }));
}
