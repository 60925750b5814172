import { flagUsage } from "#/std/flag-usage.ts";
import { FlagError, type FlagSet, type ParsedFlags, parseFlags } from "#/std/flags.ts";
import { type ClusterPaths, clusterFolder, clusterPaths } from "./paths.ts";

/** Something that went wrong for a reason that its message tells: no stack is shown. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

export interface CommandDeclaration<Flags extends FlagSet> {
  /** The line after "Usage:". */
  readonly usage: string;
  readonly flags: Flags;
  run(parsed: ParsedFlags<Flags>): Promise<number | undefined>;
}

/** Makes the `main` of a command: reads flags, shows help, and tells failures in a line. */
export function command<Flags extends FlagSet>(
  declaration: CommandDeclaration<Flags>,
): (args: readonly string[]) => Promise<number> {
  const { usage, flags, run } = declaration;
  return async (args) => {
    try {
      const parsed = parseFlags(flags, args);
      if (parsed.help) {
        process.stdout.write(`Usage: k8ts ${usage}\n\n${flagUsage(flags)}`);
        return 0;
      }
      return (await run(parsed)) ?? 0;
    } catch (error) {
      if (error instanceof FlagError) {
        process.stderr.write(`k8ts: ${error.message}\nUsage: k8ts ${usage}\n`);
        return 1;
      }
      process.stderr.write(`k8ts: ${(error as Error).message}\n`);
      return 1;
    }
  };
}

/** The files of the cluster that the flags name. */
export function pathsOf(flags: {
  readonly name: string;
  readonly "data-dir": string;
}): ClusterPaths {
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(flags.name)) {
    throw new CommandFailure(
      `a cluster's name has at most 32 small letters, digits and hyphens, and "${flags.name}" isn't one`,
    );
  }
  return clusterPaths(flags["data-dir"] || clusterFolder(flags.name));
}
