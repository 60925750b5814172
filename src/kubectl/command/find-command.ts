/** Upstream: github.com/spf13/cobra/command.go (Find, stripFlags). */
import { type FlagSet, typeOf } from "#/std/flags/flags.ts";
import type { Command, CommandEntry } from "./command.ts";

/** The command of a command line. */
export interface FoundCommand {
  /** From the root to the command. */
  readonly chain: readonly Command[];
  /** The command line without the names of commands. */
  readonly args: readonly string[];
  /** The name by which the last command was called. */
  readonly calledAs: string;
  readonly entry: CommandEntry | undefined;
}

/** Finds the command of a command line; flags may stand before names. */
export async function findCommand(root: Command, args: readonly string[]): Promise<FoundCommand> {
  const chain: Command[] = [root];
  let rest = [...args];
  let flags = allFlags(root);
  let calledAs = "kubectl";
  let entry: CommandEntry | undefined;
  for (let current = root; ; ) {
    const [name] = stripFlags(rest, flags);
    const next = name === undefined ? undefined : findEntry(current.subcommands ?? [], name);
    if (next === undefined || name === undefined) return { chain, args: rest, calledAs, entry };
    rest = withoutFirst(rest, name, flags);
    current = await next.load();
    entry = next;
    calledAs = name;
    chain.push(current);
    flags = { ...persistentFlags(chain), ...current.flags };
  }
}

/** Built-in commands that plugins may extend with subcommands. */
const extensible = ["create"];

/** True if a command line may call a plugin: it names no built-in command, or one that plugins may extend. */
export function mayBePlugin({ chain, args, entry }: FoundCommand): boolean {
  return chain.length === 1 ? args.length > 0 : extensible.includes(entry?.name ?? "");
}

/** The flags of the commands on the path, and its own persistent ones. */
export function persistentFlags(chain: readonly Command[]): FlagSet {
  return Object.assign({}, ...chain.map((command) => command.persistentFlags ?? {})) as FlagSet;
}

export function findEntry(
  entries: readonly CommandEntry[],
  name: string,
): CommandEntry | undefined {
  return entries.find((entry) => entry.name === name || entry.aliases?.includes(name));
}

function allFlags(command: Command): FlagSet {
  return { ...command.persistentFlags, ...command.flags };
}

/** The arguments of a command line that are neither flags nor their values. */
export function stripFlags(args: readonly string[], flags: FlagSet): string[] {
  const found: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--") break;
    if (takesNext(arg, flags)) i++;
    else if (arg !== "" && !arg.startsWith("-")) found.push(arg);
  }
  return found;
}

function withoutFirst(args: readonly string[], name: string, flags: FlagSet): string[] {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--") break;
    if (takesNext(arg, flags)) i++;
    else if (arg === name) return args.toSpliced(i, 1);
  }
  return [...args];
}

/** True if the next argument is the value of this one. Cobra has not defined --help yet when it searches commands. */
function takesNext(arg: string, flags: FlagSet): boolean {
  if (arg.includes("=")) return false;
  if (arg.startsWith("--")) return !hasBareValue(arg.slice(2), flags);
  return arg.startsWith("-") && arg.length === 2 && !shortHasBareValue(arg.slice(1), flags);
}

function hasBareValue(name: string, flags: FlagSet): boolean {
  const flag = flags[name];
  return flag !== undefined && (flag.bare ?? typeOf(flag).bare) !== undefined;
}

function shortHasBareValue(letter: string, flags: FlagSet): boolean {
  const flag = Object.values(flags).find(({ shorthand }) => shorthand === letter);
  return flag !== undefined && (flag.bare ?? typeOf(flag).bare) !== undefined;
}
