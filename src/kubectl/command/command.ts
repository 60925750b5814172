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
  /** How many arguments came before `--`; undefined if there was none. */
  readonly argsBeforeDash: number | undefined;
}

/** A command of kubectl. Its name is the first word of its usage. */
export interface Command<Flags extends FlagSet = FlagSet> {
  /** As upstream's usage line, without the parents' names. */
  readonly usage: string;
  /** The command whose text help prints, if it isn't its own: its names from below kubectl. */
  readonly textOf?: readonly string[];
  readonly aliases?: readonly string[];
  readonly flags: Flags;
  /** Flags that this command and those below it have. */
  readonly persistentFlags?: FlagSet;
  readonly requiredFlags?: readonly (keyof Flags & string)[];
  /** How its arguments are completed; as files if it doesn't say. */
  readonly completes?: Completion;
  /** How values of its flags are completed. */
  readonly completesFlags?: Readonly<Partial<Record<keyof Flags & string, Completion>>>;
  readonly subcommands?: readonly CommandEntry[];
  /** Whether flags may come after the first argument; default true. */
  readonly interspersed?: boolean;
  /** How many arguments it takes, if cobra itself says so. */
  readonly argumentRule?: ArgumentRule;
  /** What a flag that can't be read is told as, if not as everywhere. */
  readonly flagError?: (message: string, commandPath: string) => Error;
  /** How it ends when it is interrupted; if this isn't given, as the signal ends every program. */
  readonly interruptedCode?: number;
  /** Whether a missing subcommand is told `[flags]` in the usage line; as cobra's DisableFlagsInUseLine. */
  readonly showsFlagsInUsage?: boolean;
  /** Its exit code; 0 if there is none. */
  run(
    invocation: Invocation<Flags>,
    context: Context,
  ): MaybePromise<number | undefined> | MaybePromise<void>;
}

/** Throws what cobra says of a number of arguments. */
type ArgumentRule = (args: readonly string[], commandPath: string) => void;

/** A command in a list of commands, loaded when called. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Works, but help doesn't list it. */
  readonly hidden?: boolean;
  /** Said when it is used. */
  readonly deprecated?: string;
  /** What people type who mean it. */
  readonly suggestFor?: readonly string[];
  readonly load: () => Promise<Command>;
}

/** Declares a command; its run gets flags of the types declared. */
export function command<Flags extends FlagSet>(declaration: Command<Flags>): Command {
  // A command is called with the values of its own flags only.
  return declaration as unknown as Command;
}

/** A command and those above it, the root first. */
export type CommandChain = readonly Command[];

/** The names of a command and those above it. */
export function commandPath(chain: CommandChain): string {
  return chain.map(nameOf).join(" ");
}

/** The name of a command, from its usage. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ", 1)[0] ?? "";
}
