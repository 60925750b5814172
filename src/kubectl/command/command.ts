import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import type { Completion } from "./completion.ts";
import type { Context } from "./context.ts";

/** One parsed command line of a command. */
export interface Invocation<Flags extends FlagSet = FlagSet> {
  readonly flags: FlagValues<Flags>;
  /** Names of the flags that were given. */
  readonly changed: ReadonlySet<string>;
  readonly args: readonly string[];
  /** Number of arguments before `--`; undefined if there is no `--`. */
  readonly argsBeforeDash: number | undefined;
}

/** A command of kubectl. Its name is the first word of its usage. */
export interface Command<Flags extends FlagSet = FlagSet> {
  /** Upstream's usage line, without the parents' names. */
  readonly usage: string;
  /** The command whose text help prints, if it isn't its own: its names below kubectl. */
  readonly textOf?: readonly string[];
  readonly aliases?: readonly string[];
  readonly flags: Flags;
  /** Persistent flags: of this command and its subcommands. */
  readonly persistentFlags?: FlagSet;
  readonly requiredFlags?: readonly (keyof Flags & string)[];
  /** Completion of its arguments; files by default. */
  readonly completes?: Completion;
  /** Completion of the values of its flags. */
  readonly completesFlags?: Readonly<Partial<Record<keyof Flags & string, Completion>>>;
  readonly subcommands?: readonly CommandEntry[];
  /** Whether flags may come after the first argument; default true. */
  readonly interspersed?: boolean;
  /** Check of the number of arguments, if cobra itself does it. */
  readonly argumentRule?: ArgumentRule;
  /** Reports an invalid flag, if not in the default way. */
  readonly flagError?: (message: string, commandPath: string) => Error;
  /** Called on an interrupt; by default the signal ends the process. */
  readonly interruptedCode?: number;
  /** Exit code of a failure that would give 1, for commands to which 1 is an answer; default 1. */
  readonly failureCode?: number;
  /** Whether the usage line of a missing subcommand has `[flags]`; as cobra's DisableFlagsInUseLine. */
  readonly showsFlagsInUsage?: boolean;
  /** Returns its exit code; undefined for 0. */
  run(
    invocation: Invocation<Flags>,
    context: Context,
  ): MaybePromise<number | undefined> | MaybePromise<void>;
}

/** Throws cobra's error for a wrong number of arguments. */
type ArgumentRule = (args: readonly string[], commandPath: string) => void;

/** An entry in a list of commands; the command is loaded when called. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Can be called, but is not in the help. */
  readonly hidden?: boolean;
  /** Warning that is printed when it is used. */
  readonly deprecated?: string;
  /** Other words for which it is suggested. */
  readonly suggestFor?: readonly string[];
  readonly load: () => Promise<Command>;
}

/** Declares a command; its run() gets flags of the declared types. */
export function command<Flags extends FlagSet>(declaration: Command<Flags>): Command {
  // A command is called with the values of its own flags only.
  return declaration as unknown as Command;
}

/** The path of a command: the root first. */
export type CommandChain = readonly Command[];

/** The names on the path of a command. */
export function commandPath(chain: CommandChain): string {
  return chain.map(nameOf).join(" ");
}

/** The name of a command, from its usage. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ", 1)[0] ?? "";
}
