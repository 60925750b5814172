import type { FlagSet } from "#/std/flags/flags.ts";
import type { ArgumentNames } from "./arguments.ts";
import type { ListedCommand } from "./overview.ts";

/** The parts of a command's declaration that completion needs. */
export interface CompletedCommand {
  readonly arguments?: ArgumentNames;
  readonly flags: FlagSet;
}

/** Words that depend on the machine. */
interface CompletionWords {
  clusters(): readonly string[];
  components(): readonly string[];
}

/** A suggestion, and what it means. */
type Suggestion = readonly [word: string, text?: string];

/** Suggestions for the last word of a command line, and whether files may stand there as well. */
export interface Completion {
  readonly suggestions: readonly Suggestion[];
  readonly files: boolean;
}

/** Suggests names of commands, for the first word and after `help`. */
export function completeCommand(commands: readonly ListedCommand[], typed: string): Completion {
  const suggestions = commands
    .filter(({ name, group }) => group !== undefined && name.startsWith(typed))
    .map(({ name, summary }) => [name, summary] as const);
  return { suggestions, files: false };
}

/** Suggests flags, values and arguments of a command; `words` are those after its name, the last one still being typed. */
export function completeArguments(
  command: CompletedCommand,
  words: readonly string[],
  known: CompletionWords,
): Completion {
  const typed = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  const begins = (word: string) => word.startsWith(typed);
  if (before === "--name") return only(known.clusters().filter(begins));
  if (takesValue(command.flags, before)) return { suggestions: [], files: true };
  if (typed.startsWith("-")) return completeFlag(command.flags, typed);
  const at = words.slice(0, -1).filter((word) => !word.startsWith("-")).length;
  const name = command.arguments?.[at] ?? command.arguments?.at(-1) ?? "";
  if (name === "COMPONENT") return only(known.components().filter(begins));
  if (/^[a-z]+(\|[a-z]+)+$/.test(name)) return only(name.split("|").filter(begins));
  return { suggestions: [], files: name.endsWith("...]") || name.endsWith("...") };
}

const only = (words: readonly string[]): Completion => ({
  suggestions: words.map((word) => [word] as const),
  files: false,
});

function completeFlag(flags: FlagSet, typed: string): Completion {
  const suggestions = Object.entries(flags)
    .filter(([name, flag]) => !flag.hidden && `--${name}`.startsWith(typed))
    .map(([name, { help }]) => [`--${name}`, help.replaceAll("`", "")] as const);
  return { suggestions, files: false };
}

function takesValue(flags: FlagSet, word: string): boolean {
  const flag = word.startsWith("--") ? flags[word.slice(2)] : undefined;
  return flag !== undefined && flag.type !== "bool";
}
