/** Upstream: staging/src/k8s.io/kubectl/pkg/kuberc/kuberc.go. */
import type { PluginPolicy } from "#/client/kubeconfig/plugin-policy.ts";
import { validatePluginPolicy } from "#/client/kubeconfig/plugin-policy.ts";
import { FlagError, type FlagSet, parseFlags } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, ExitError, messageOf } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { type Command, nameOf } from "../command/command.ts";
import {
  type FoundCommand,
  findCommand,
  persistentFlags,
  stripFlags,
} from "../command/find-command.ts";
import { loadPreferences, UnnamedKuberc } from "./kuberc-file.ts";
import type { AliasOverride, OptionDefault, Preference } from "./preference.ts";

/** A command line after the user's preferences were applied. */
export interface PreferredLine {
  /** The root command; an alias adds a subcommand to it. */
  readonly root: Command;
  readonly args: readonly string[];
  /** The programs that may provide credentials; undefined if the preferences don't restrict them. */
  readonly pluginPolicy?: PluginPolicy;
}

/** Applies aliases and defaults of the user's preferences, if there are any. Throws ExitError. */
export async function applyPreferences(
  root: Command,
  args: readonly string[],
  host: Host,
): Promise<PreferredLine> {
  if (args.length === 0) return { root, args };
  try {
    const preference = await load(args, host);
    if (!preference) return { root, args };
    const pluginPolicy = policyOf(preference);
    validate(preference, pluginPolicy);
    const aliased = await applyAliases(root, args, preference, host);
    return { ...(await applyDefaults(aliased, preference, host)), pluginPolicy };
  } catch (error) {
    const text = `error occurred while applying preferences ${messageOf(error)}`;
    throw new ExitError(1, text);
  }
}

async function load(args: readonly string[], host: Host): Promise<Preference | undefined> {
  try {
    return await loadPreferences(args, host);
  } catch (error) {
    if (error instanceof UnnamedKuberc) throw error;
    throw new CommandError(`kuberc error ${messageOf(error)}`, { cause: error });
  }
}

function policyOf(preference: Preference): PluginPolicy {
  const { credentialPluginPolicy: type = "", credentialPluginAllowlist: allowlist } = preference;
  return { type, allowlist: allowlist?.map(({ command = "", name = "" }) => ({ command, name })) };
}

function validate({ aliases, defaults }: Preference, policy: PluginPolicy): void {
  const seen = new Set<string>();
  for (const { name, options } of aliases ?? []) {
    if (!/^[a-zA-Z]+$/.test(name)) {
      throw new CommandError("invalid alias name, can only include alphabetical characters");
    }
    validateOptions(options);
    if (seen.has(name)) throw new CommandError(`duplicate alias name ${name}`);
    seen.add(name);
  }
  for (const { options } of defaults ?? []) validateOptions(options);
  validatePluginPolicy(policy);
}

function validateOptions(options: readonly OptionDefault[] | null | undefined): void {
  const dashed = options?.find(({ name }) => name.startsWith("-"));
  if (!dashed) return;
  throw new CommandError(`flag name ${dashed.name} should be in long form without dashes`);
}

interface AliasedLine extends PreferredLine {
  /** The aliases, up to the one that is used. */
  readonly aliases: ReadonlySet<string>;
}

async function applyAliases(
  root: Command,
  args: readonly string[],
  { aliases }: Preference,
  { err }: Host,
): Promise<AliasedLine> {
  const isKnown = !isUnknown(root, await findCommand(root, args));
  const at = args.findIndex((arg) => !arg.startsWith("-") && !arg.startsWith("__complete"));
  const alias = isKnown ? undefined : aliases?.find(({ name }) => name === args[at]);
  if (!alias) return { root, args, aliases: new Set() };
  if (!isUnknown(root, await findCommand(root, [alias.name]))) {
    err.write(
      `Warning: Setting alias ${goQuote(alias.name)} to a built-in command is not supported\n`,
    );
    return { root, args, aliases: new Set() };
  }
  const withAlias = await addAlias(root, alias);
  const found = await findCommand(withAlias, [alias.name]);
  const options = missingOptions(found, alias.options, args, {
    unknown: (flag) => `invalid alias flag ${flag} in alias kubectl`,
    refused: (option, reason) =>
      `could not apply value ${option.default} to flag ${option.name} in alias kubectl err: ${reason}`,
  });
  const line = [
    ...args.slice(0, at + 1),
    ...options,
    ...(alias.prependArgs ?? []),
    ...args.slice(at + 1),
    ...(alias.appendArgs ?? []),
  ];
  return { root: withAlias, args: line, aliases: new Set([alias.name]) };
}

/** The command of an alias, by its name. */
async function addAlias(root: Command, alias: AliasOverride): Promise<Command> {
  const found = await findCommand(root, fields(alias.command));
  const command = found.chain.at(-1);
  if (isUnknown(root, found) || !command) {
    throw new CommandError(
      `command ${goQuote(alias.command)} not found to set alias ${goQuote(alias.name)}: [${found.args.join(" ")}]`,
    );
  }
  const { aliases: _, ...rest } = command;
  const entry = {
    name: alias.name,
    summary: "",
    load: async () => ({ ...rest, usage: alias.name, textOf: found.chain.slice(1).map(nameOf) }),
  };
  return { ...root, subcommands: [...(root.subcommands ?? []), entry] };
}

async function applyDefaults(
  { root, args, aliases }: AliasedLine,
  { defaults }: Preference,
  { err }: Host,
): Promise<PreferredLine> {
  const found = await findCommand(root, args);
  const command = found.chain.at(-1);
  if (isUnknown(root, found) || !command) return { root, args };
  const added: string[] = [];
  for (const { command: name, options } of defaults ?? []) {
    const wanted = await findCommand(root, fields(name));
    if (isUnknown(root, wanted)) {
      err.write(`Warning: command ${goQuote(name)} not found to set kuberc override\n`);
      continue;
    }
    if (nameOf(wanted.chain.at(-1) ?? root) !== nameOf(command)) continue;
    if (aliases.has(nameOf(command))) {
      throw new CommandError(`alias ${nameOf(command)} can not be overridden`);
    }
    added.push(
      ...missingOptions(found, options, args, {
        unknown: (flag) => `invalid flag ${flag} for command ${name}`,
        refused: (option, reason) =>
          `could not apply override value ${option.default} to flag ${option.name} in command ${name} err: ${reason}`,
      }),
    );
  }
  return added.length === 0 ? { root, args } : { root, args: withOptions(found, args, added) };
}

/** Options are inserted after the command's name, so that the user's own flags follow and override them. */
function withOptions(
  { calledAs, chain }: FoundCommand,
  args: readonly string[],
  added: readonly string[],
): string[] {
  if (chain.length === 1) return [...added, ...args];
  const names = chain.length - 1;
  let seen = 0;
  const at = args.findIndex((arg) => {
    if (!arg.startsWith("-")) seen++;
    return arg === calledAs && seen >= names;
  });
  return [...args.slice(0, at + 1), ...added, ...args.slice(at + 1)];
}

interface Complaints {
  readonly unknown: (flag: string) => string;
  readonly refused: (option: OptionDefault, reason: string) => string;
}

/** The options that the command line doesn't give, as flags. */
function missingOptions(
  { chain }: FoundCommand,
  options: readonly OptionDefault[] | null | undefined,
  args: readonly string[],
  complaints: Complaints,
): string[] {
  const flags: FlagSet = { ...persistentFlags(chain), ...chain.at(-1)?.flags };
  return (options ?? []).flatMap((option) => {
    const flag = Object.hasOwn(flags, option.name) ? flags[option.name] : undefined;
    if (!flag) throw new CommandError(complaints.unknown(option.name));
    if (isGiven(option.name, flag.shorthand, args)) return [];
    const text = `--${option.name}=${option.default}`;
    try {
      parseFlags({ [option.name]: flag }, [text]);
    } catch (error) {
      if (!(error instanceof FlagError)) throw error;
      throw new CommandError(complaints.refused(option, error.message), { cause: error });
    }
    return [text];
  });
}

/** True if a command line has a flag, alone or among other letters. */
function isGiven(name: string, shorthand: string | undefined, args: readonly string[]): boolean {
  return args.some((arg) => {
    if (arg === `--${name}` || arg.startsWith(`--${name}=`)) return true;
    if (shorthand === undefined) return false;
    if (arg.startsWith(`-${shorthand}`)) return true;
    return /^-[a-zA-Z]+$/.test(arg) && arg.includes(shorthand);
  });
}

/** True if a command line names an unknown command. */
function isUnknown(root: Command, { chain, args }: FoundCommand): boolean {
  return chain.length === 1 && stripFlags(args, root.persistentFlags ?? {}).length > 0;
}

const fields = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
