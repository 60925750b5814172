import { FlagError } from "#/std/flags/flags.ts";

/** The arguments of a command that are not flags, in the words of its usage line: `["FILE..."]`, `["[ID]"]`. */
export type ArgumentNames = readonly string[];

/** Throws if a command line has more or fewer arguments than the command takes; it may have a flag for the cluster's name. */
export function checkArguments(
  names: ArgumentNames,
  args: readonly string[],
  { hasName }: { readonly hasName: boolean },
): void {
  const isRepeated = /\.\.\.\]?$/.test(names.at(-1) ?? "");
  const [extra] = isRepeated ? [] : args.slice(names.length);
  if (extra !== undefined) {
    // A cluster's name without its flag is the usual mistake, and `down` must not take it for the default cluster.
    const hint = names.length === 0 && hasName ? `; did you mean --name ${extra}?` : "";
    throw new FlagError(`unexpected argument "${extra}"${hint}`);
  }
  const missing = names.slice(args.length).find((name) => !name.startsWith("["));
  if (missing !== undefined) throw new FlagError(`${missing.replace(/\.\.\.$/, "")} is missing`);
}
