/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/kuberc/set.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf, throwAll } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { globalFlags } from "../../command/global-flags.ts";
import { MissingKuberc, readKuberc } from "../../kuberc/kuberc-file.ts";
import {
  type AliasOverride,
  type AllowlistEntry,
  type OptionDefault,
  type Preference,
  preferenceVersion,
} from "../../kuberc/preference.ts";
import { namedKuberc, saveKuberc } from "./save-kuberc.ts";

const flags = {
  kuberc: globalFlags.kuberc,
  section: {
    type: "string",
    help: "Section to change: 'defaults', 'aliases', or 'credentialplugin'",
  },
  command: {
    type: "string",
    help: "Command that is configured, such as 'get', 'create' or 'set env'",
  },
  name: { type: "string", help: "Name of the alias. Required with --section=aliases" },
  policy: {
    type: "string",
    help: "Which programs may provide credentials. One of 'AllowAll', 'DenyAll' or 'Allowlist'",
  },
  option: {
    type: "stringArray",
    help: "Default value of a flag, in the form flag=value. May be repeated",
  },
  prependarg: {
    type: "stringArray",
    help: "Argument that an alias puts before those of the command line. May be repeated",
  },
  appendarg: {
    type: "stringArray",
    help: "Argument that an alias puts after those of the command line. May be repeated",
  },
  "allowlist-entry": {
    type: "stringArray",
    help: "Program on the allowlist, in the form field=value. May be repeated",
  },
  overwrite: { type: "bool", help: "Replace an entry that exists" },
} satisfies FlagSet;

type SetInvocation = Invocation<typeof flags>;
type SetFlags = SetInvocation["flags"];

/** `kubectl kuberc set`. */
export const setKuberc = command({
  usage: "set --section (defaults|aliases) --command COMMAND",
  flags,
  requiredFlags: ["section"],
  run,
});

async function run({ flags: values }: SetInvocation, context: Context): Promise<void> {
  const { path } = namedKuberc(values.kuberc, context);
  validate(values);
  const preference = await read(path, context);
  const options = values.option.map(parseOption);
  if (values.section === "defaults") setDefaults(preference, values, options);
  else if (values.section === "aliases") setAlias(preference, values, options);
  else setPolicy(preference, values);
  await saveKuberc(preference, path, context);
}

const sections = ["defaults", "aliases", "credentialplugin"];

function validate(values: SetFlags): void {
  const { section, name } = values;
  const hasArgs = values.prependarg.length > 0 || values.appendarg.length > 0;
  const isPlugin = section === "credentialplugin";
  const rules: (readonly [boolean, string])[] = [
    [
      !sections.includes(section),
      `--section must be "defaults", "aliases", or "credentialplugin", got: ${section}`,
    ],
    [section === "aliases" && name === "", "--name is required when --section=aliases"],
    [
      section === "defaults" && name !== "",
      "--name should not be specified when --section=defaults",
    ],
    [
      section === "defaults" && hasArgs,
      "--prependarg and --appendarg are only valid for --section=aliases",
    ],
    [
      !isPlugin && values.command === "",
      "--command is required when --section=aliases or --section=defaults",
    ],
    ...(isPlugin ? policyRules(values) : []),
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

function policyRules({ policy, "allowlist-entry": entries }: SetFlags): [boolean, string][] {
  const isList = policy === "Allowlist";
  return [
    [policy === "", "--policy is required when --section=credentialplugin"],
    [
      !["AllowAll", "DenyAll", "Allowlist"].includes(policy),
      ` --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: ${policy}`,
    ],
    [
      !isList && entries.length > 0,
      "--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist",
    ],
    [
      isList && entries.length === 0,
      "--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist",
    ],
  ];
}

async function read(path: string, context: Context): Promise<Preference> {
  const empty: Preference = {
    kind: "Preference",
    apiVersion: preferenceVersion,
    defaults: null,
    aliases: null,
  };
  try {
    const { preference, problem } = await readKuberc(path, context);
    if (problem !== undefined) throw new CommandError(problem);
    return preference ?? empty;
  } catch (error) {
    if (error instanceof MissingKuberc) return empty;
    throw new CommandError(`error reading kuberc file: ${messageOf(error)}`, { cause: error });
  }
}

function parseOption(text: string): OptionDefault {
  const equals = text.indexOf("=");
  if (equals < 0) {
    throw new CommandError(`invalid option format ${goQuote(text)}, expected flag=value`);
  }
  return { name: text.slice(0, equals).replace(/^-+/, ""), default: text.slice(equals + 1) };
}

function setDefaults(
  preference: Preference,
  { command: name, overwrite }: SetFlags,
  options: OptionDefault[],
): void {
  const found = preference.defaults?.find((each) => each.command === name);
  if (!found) {
    const added = { command: name, options: options.length === 0 ? null : options };
    preference.defaults = [...(preference.defaults ?? []), added];
    return;
  }
  if (!overwrite) {
    throw new CommandError(
      `defaults for command ${goQuote(name)} already exist, use --overwrite to replace`,
    );
  }
  if (options.length > 0) found.options = options;
}

/** Options that are not given keep their values. */
function setAlias(preference: Preference, values: SetFlags, options: OptionDefault[]): void {
  const { name, command: meant, overwrite, prependarg, appendarg } = values;
  const aliases = preference.aliases ?? [];
  const found = aliases.find((alias) => alias.name === name);
  if (found && !overwrite) {
    throw new CommandError(`alias ${goQuote(name)} already exists, use --overwrite to replace`);
  }
  const [prependArgs, appendArgs] = [
    prependarg.length > 0 ? [...prependarg] : found?.prependArgs,
    appendarg.length > 0 ? [...appendarg] : found?.appendArgs,
  ];
  const kept = options.length > 0 ? options : found?.options;
  const alias: AliasOverride = {
    name,
    command: meant,
    ...(prependArgs ? { prependArgs } : {}),
    ...(appendArgs ? { appendArgs } : {}),
    ...(kept ? { options: kept } : {}),
  };
  preference.aliases = found
    ? aliases.map((each) => (each === found ? alias : each))
    : [...aliases, alias];
}

function setPolicy(preference: Preference, { policy, "allowlist-entry": entries }: SetFlags): void {
  if (policy === "Allowlist") preference.credentialPluginAllowlist = readEntries(entries);
  preference.credentialPluginPolicy = policy;
}

function readEntries(texts: readonly string[]): AllowlistEntry[] {
  const errors: CommandError[] = [];
  const entries: AllowlistEntry[] = [];
  for (const pair of texts.flatMap((text) => text.split(","))) {
    const [field = "", value] = pair.split(/=(.*)/s);
    const problem = entryProblem(pair, field, value);
    if (problem === undefined) entries.push({ command: value ?? "" });
    else errors.push(new CommandError(problem));
  }
  throwAll(errors);
  return entries;
}

function entryProblem(pair: string, field: string, value: string | undefined): string | undefined {
  if (value === undefined) return `improperly formatted allowlist entry: ${goQuote(pair)}`;
  if (field === "name") {
    return 'allowlist entry field "name" is deprecated, use "command" instead';
  }
  if (field !== "command") return `unrecognized allowlist entry field: ${goQuote(field)}`;
  return value.trim() === "" ? 'empty value in allowlist entry for field "command"' : undefined;
}
