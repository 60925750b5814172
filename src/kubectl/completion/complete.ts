/** Upstream: github.com/spf13/cobra/completions.go. */
import { FlagError, type FlagSet, type ParsedFlags, parseFlags } from "#/std/flags/flags.ts";
import { CommandError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { type Command, type CommandChain, type CommandEntry, nameOf } from "../command/command.ts";
import { type Completion, sharedFlagCompletions } from "../command/completion.ts";
import type { Context } from "../command/context.ts";
import {
  type FoundCommand,
  findCommand,
  persistentFlags,
  stripFlags,
} from "../command/find-command.ts";
import { globalFlagCompletions } from "../command/global-flags.ts";
import { directive, directiveText } from "./directive.ts";
import { requiredFlagSuggestions, suggestFlags } from "./flag-suggestions.ts";
import { flagToComplete } from "./flag-to-complete.ts";
import { completePlugin, pluginEntries } from "./plugin-completions.ts";
import type { Suggestion, Suggestions } from "./suggestions.ts";

/** A command line to complete. */
interface CompletionRequest {
  readonly root: Command;
  /** The words so far; the last is to be completed. */
  readonly words: readonly string[];
  readonly withDescriptions: boolean;
  readonly host: Host;
  /** Calls back with the context that the command would have. */
  readonly inContext: <T>(
    given: { command: Command; parsed: ParsedFlags<FlagSet>; chain: CommandChain },
    run: (context: Context) => Promise<T>,
  ) => Promise<T>;
}

/** The context of the last word. */
interface Completing {
  readonly request: CompletionRequest;
  readonly found: FoundCommand;
  readonly command: Command;
  readonly flags: FlagSet;
  readonly word: string;
}

/** Nothing can be suggested; the reason is shown for debugging. */
class NoCompletion extends Error {
  override readonly name = "NoCompletion";
}

/** Prints suggestions for the last word; `kubectl __complete` and `__completeNoDesc`. */
export async function complete(request: CompletionRequest): Promise<number> {
  const { host, words, withDescriptions } = request;
  if (words.length === 0) {
    throw new CommandError("requires at least 1 arg(s), only received 0");
  }
  const { suggestions, directive: value } = await completeOrTell(request);
  for (const suggestion of suggestions) {
    host.out.write(`${suggestionLine(suggestion, withDescriptions)}\n`);
  }
  host.out.write(`:${value}\n`);
  host.err.write(`Completion ended with directive: ${directiveText(value)}\n`);
  return 0;
}

async function completeOrTell(request: CompletionRequest): Promise<Suggestions> {
  try {
    return await completeWords(request);
  } catch (error) {
    if (!(error instanceof NoCompletion)) throw error;
    request.host.err.write(`[Debug] [Error] ${error.message}\n`);
    return { suggestions: [], directive: directive.default };
  }
}

/** A line of the response: the word, and after a tab its description. */
function suggestionLine({ word, description = "" }: Suggestion, withDescriptions: boolean): string {
  const line = withDescriptions ? `${word}\t${description}` : word;
  return (line.split("\n", 1)[0] ?? "").trim();
}

async function completeWords(request: CompletionRequest): Promise<Suggestions> {
  const { root, words, host } = request;
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? "";
  if (before[0] === "help") return completeHelp(root, before.slice(1), word);
  const found = await findCommand(root, before);
  const [name] = found.chain.length === 1 ? stripFlags(before, root.persistentFlags ?? {}) : [];
  if (name !== undefined) return completeUnknown(before, word, host);
  const command = found.chain.at(-1) ?? root;
  const flags = { ...persistentFlags(found.chain), ...command.flags };
  return completeCommand({ request, found, command, flags, word });
}

function completeUnknown(
  before: readonly string[],
  word: string,
  host: Host,
): Promise<Suggestions> {
  host.err.write("[Debug] Cleared global flags for plugin completion\n");
  const suggestions = completePlugin(before, word, host);
  if (!suggestions) {
    throw new NoCompletion(`unable to find a command for arguments: [${before.join(" ")}]`);
  }
  return suggestions;
}

/** `kubectl help rollout st` completes the subcommands of rollout. */
async function completeHelp(
  root: Command,
  names: readonly string[],
  word: string,
): Promise<Suggestions> {
  const { chain } = await findCommand(root, names);
  const command = chain.at(-1) ?? root;
  const isFound = chain.length - 1 === names.length;
  return {
    suggestions: isFound ? commandSuggestions(entriesOf(command, root), word) : [],
    directive: directive.noFiles,
  };
}

async function completeCommand(completing: Completing): Promise<Suggestions> {
  const { command, flags, found, word } = completing;
  const interspersed = command.interspersed ?? true;
  const target = flagToComplete(flags, found.args, word);
  const parse = (args: readonly string[]): ParsedFlags<FlagSet> =>
    parseFlags(flags, args, { interspersed });
  let parsed: ParsedFlags<FlagSet>;
  let takesFlags = true;
  try {
    parsed = parse(target.args);
    // After `--`, another `--` is an argument, as is everything else.
    takesFlags = parse([...target.args, "--"]).args.length === parsed.args.length;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    const args = target.args.join(" ");
    throw new NoCompletion(`Error while parsing flags from args [${args}]: ${error.message}`);
  }
  if (target.unknown !== undefined && takesFlags) {
    const name = nameOf(command);
    throw new NoCompletion(`Subcommand '${name}' does not support flag '${target.unknown}'`);
  }
  if (parsed.help) return { suggestions: [], directive: directive.noFiles };
  if (target.flag !== undefined && takesFlags) {
    return completeFlagValue(completing, parsed, target.flag, target.word);
  }
  if (takesFlags && target.word.startsWith("-") && !target.word.includes("=")) {
    return suggestFlags({ command, flags, changed: parsed.changed, word });
  }
  return completeArgument({ ...completing, word: target.word }, parsed);
}

async function completeFlagValue(
  completing: Completing,
  parsed: ParsedFlags<FlagSet>,
  flag: string,
  word: string,
): Promise<Suggestions> {
  const { flags, completesFlags } = completing.command;
  const shared = Object.hasOwn(flags, flag) ? sharedFlagCompletions : globalFlagCompletions;
  const completion = completesFlags?.[flag] ?? shared[flag];
  if (!completion) return { suggestions: [], directive: directive.default };
  return completeAs(completion, { ...completing, word }, parsed);
}

async function completeArgument(
  completing: Completing,
  parsed: ParsedFlags<FlagSet>,
): Promise<Suggestions> {
  const { command, flags, found, request, word } = completing;
  const { changed, args } = parsed;
  const hasOwnFlags = Object.keys(command.flags).some((name) => changed.has(name));
  const entries = args.length === 0 && !hasOwnFlags ? entriesOf(command, request.root) : [];
  const plugins =
    found.chain.length === 1 && request.words.length === 1
      ? pluginEntries(request.host, request.root.subcommands ?? [])
      : [];
  const suggestions = [
    ...commandSuggestions([...entries, ...plugins], word),
    ...requiredFlagSuggestions({ command, flags, changed, word }),
  ];
  if (command.completes) {
    const more = await completeAs(command.completes, completing, parsed);
    return { suggestions: [...suggestions, ...more.suggestions], directive: more.directive };
  }
  const isCommands = entries.length > 0;
  return { suggestions, directive: isCommands ? directive.noFiles : directive.default };
}

async function completeAs(
  completion: Completion,
  { request, command, found, word }: Completing,
  parsed: ParsedFlags<FlagSet>,
): Promise<Suggestions> {
  // Modules that connect to servers are loaded only when needed.
  const completer = (await import("./completers.ts")).completerOf(completion);
  return request.inContext({ command, parsed, chain: found.chain }, async (context) =>
    completer({ args: parsed.args, word }, context),
  );
}

/** The subcommands of a command that are not hidden. */
function entriesOf(command: Command, root: Command): Pick<CommandEntry, "name" | "summary">[] {
  const entries = (command.subcommands ?? []).filter(
    ({ hidden, deprecated }) => !hidden && deprecated === undefined,
  );
  if (command !== root) return entries;
  return [...entries, { name: "help", summary: "Help about any command" }];
}

function commandSuggestions(
  entries: readonly Pick<CommandEntry, "name" | "summary">[],
  word: string,
): Suggestion[] {
  return entries
    .filter(({ name }) => name.startsWith(word))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, summary }) => ({ word: name, description: summary }));
}
