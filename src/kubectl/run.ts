/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cmd.go, github.com/spf13/cobra/command.go. */
import { resolve } from "node:path";
import { StatusError } from "#/machinery/meta/status-error.ts";
import {
  defaultValues,
  FlagError,
  type FlagSet,
  type ParsedFlags,
  parseFlags,
} from "#/std/flags/flags.ts";
import type { ConfiguredCluster } from "./access/configured-cluster.ts";
import { CommandError, Errors, report } from "./base/errors.ts";
import type { Host } from "./base/host.ts";
import { klog, verbosity } from "./base/klog.ts";
import {
  type Command,
  type CommandChain,
  commandPath,
  type Invocation,
} from "./command/command.ts";
import type { Context } from "./command/context.ts";
import {
  type FoundCommand,
  findCommand,
  mayBePlugin,
  persistentFlags,
  stripFlags,
} from "./command/find-command.ts";
import {
  defaultCacheDir,
  type GlobalFlags,
  globalFlags,
  hiddenGlobalFlags,
} from "./command/global-flags.ts";
import { commandGroups, commands, pluginsTitle } from "./commands/index.ts";
import type { CommandGroup } from "./help/help.ts";
import type { PreferredLine } from "./kuberc/apply-preferences.ts";
import { hasKuberc, usesKuberc } from "./kuberc/kuberc-file.ts";
import { type ProcessHost, processHost } from "./process-host.ts";

/** Exit code of a command that was interrupted; the process then ends by the signal. */
const interrupted = 130;
/** Exit code that a shell reports for a program that was ended by SIGPIPE. */
const brokenPipe = 141;

/** The command `kubectl`; returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { code, endedBy } = await runInProcess(args);
  if (endedBy === "SIGPIPE") return brokenPipe;
  // The parent process sees the signal that ended this one.
  if (endedBy !== undefined && code === interrupted) process.kill(process.pid, endedBy);
  return code;
}

async function runInProcess(
  args: readonly string[],
): Promise<{ readonly code: number; readonly endedBy: ProcessHost["endedBy"] }> {
  using host = processHost();
  const code = await runKubectl(args, host);
  await host.flush();
  return { code, endedBy: host.endedBy };
}

/** Runs one kubectl command line. */
export async function runKubectl(args: readonly string[], host: Host): Promise<number> {
  try {
    return await execute(args, host);
  } catch (error) {
    return tell(error, host);
  }
}

function tell(error: unknown, host: Host): number {
  const { text, code } = report(error);
  if (text !== "") host.err.write(text.endsWith("\n") ? text : `${text}\n`);
  return code;
}

const { kuberc: _, ...withoutKuberc } = globalFlags;

/** The root command. */
function rootCommand(host: Host): Command {
  const cacheDir = { ...globalFlags["cache-dir"], default: defaultCacheDir(host.env) };
  return {
    usage: "kubectl",
    flags: {},
    showsFlagsInUsage: true,
    persistentFlags: {
      ...(hasKuberc(host) ? globalFlags : withoutKuberc),
      "cache-dir": cacheDir,
      ...hiddenGlobalFlags,
    },
    subcommands: hasKuberc(host) ? commands : commands.filter(({ name }) => name !== "kuberc"),
    run: async (_, context) => context.out.write(await context.help()),
  };
}

/** The command line after the user's preferences (kuberc) were applied. */
async function preferred(args: readonly string[], host: Host): Promise<PreferredLine> {
  const root = rootCommand(host);
  if (!usesKuberc(args, host)) return { root, args };
  const { applyPreferences } = await import("./kuberc/apply-preferences.ts");
  return applyPreferences(root, args, host);
}

async function execute(given: readonly string[], plainHost: Host): Promise<number> {
  const { root, args, pluginPolicy } = await preferred(given, plainHost);
  const host = { ...plainHost, pluginPolicy };
  const [first] = stripFlags(args, root.persistentFlags ?? {});
  if (first === "help") return helpCommand(root, args, host);
  if (first === "__complete" || first === "__completeNoDesc") {
    const { complete } = await import("./completion/complete.ts");
    return complete({
      root,
      words: args.slice(args.indexOf(first) + 1),
      withDescriptions: first === "__complete",
      host,
      inContext: (given, run) => inContext(given, host, run),
    });
  }
  const found = await findCommand(root, args);
  if (mayBePlugin(found)) {
    const { findPlugin, runPlugin } = await import("./command/plugins.ts");
    const plugin = findPlugin(found, args, host);
    if (plugin !== undefined) return runPlugin(plugin, host);
  }
  if (found.chain.length === 1) await refuseUnknown(root, found);
  return runCommand(found, host, args);
}

/** The help command, which cobra adds to all others. */
const help: Command = {
  usage: "help [command]",
  flags: {},
  showsFlagsInUsage: true,
  run: () => undefined,
};

/** `kubectl help get` is `kubectl get --help`. */
async function helpCommand(root: Command, args: readonly string[], host: Host): Promise<number> {
  const { args: words, help: ofItself } = parse(help, root.persistentFlags ?? {}, args, {
    path: "kubectl help",
    calledAs: "help",
  });
  const names = words.slice(1);
  if (ofItself || names[0] === "help") {
    host.out.write(await helpOf([root, help], host));
    return 0;
  }
  const found = await findCommand(root, names);
  if (found.chain.length === 1 && names.length > 0) {
    host.err.write(`Unknown help topic [${names.map((name) => `\`${name}\``).join(" ")}]\n\n`);
    host.err.write(`\n${await helpOf([root], host, "usageText")}`);
    return 0;
  }
  host.out.write(await helpOf(found.chain, host));
  return 0;
}

async function refuseUnknown(root: Command, { args }: FoundCommand): Promise<void> {
  const [name] = stripFlags(args, root.persistentFlags ?? {});
  if (name === undefined) return;
  const { suggestionsFor } = await import("./command/suggestions.ts");
  const suggestions = suggestionsFor(name, root.subcommands ?? []);
  const hint =
    suggestions.length === 0
      ? ""
      : `\n\nDid you mean this?\n${suggestions.map((suggestion) => `\t${suggestion}\n`).join("")}`;
  throw new CommandError(`unknown command ${JSON.stringify(name)} for "kubectl"${hint}`);
}

async function runCommand(
  { chain, args, calledAs, entry }: FoundCommand,
  host: Host,
  line: readonly string[],
): Promise<number> {
  const command = chain.at(-1) as Command;
  const path = commandPath(chain);
  const flags: FlagSet = { ...persistentFlags(chain), ...command.flags };
  const parsed = parse(command, flags, args, { path, calledAs });
  if (entry?.deprecated !== undefined) {
    host.out.write(`Command ${JSON.stringify(entry.name)} is deprecated, ${entry.deprecated}\n`);
  }
  for (const warning of parsed.warnings) host.err.write(`${warning}\n`);
  if (parsed.help) {
    host.out.write(await helpOf(chain, host));
    return 0;
  }
  command.argumentRule?.(parsed.args, path);
  requireFlags(command, parsed);
  const changeCause = (): string => causeOf(parseFlags(flags, line));
  return runParsed({ command, parsed, chain, changeCause }, host);
}

function parse(
  command: Command,
  flags: FlagSet,
  args: readonly string[],
  { path, calledAs }: { readonly path: string; readonly calledAs: string },
): ParsedFlags<FlagSet> {
  try {
    return parseFlags(flags, args, { interspersed: command.interspersed ?? true });
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    if (command.flagError) throw command.flagError(error.message, path);
    const hint =
      calledAs === "options" ? `Run '${path}' without flags.` : `See '${path} --help' for usage.`;
    throw new CommandError(`${error.message}\n${hint}`, { cause: error });
  }
}

function requireFlags({ requiredFlags = [] }: Command, { changed }: ParsedFlags<FlagSet>): void {
  const missing = requiredFlags.filter((name) => !changed.has(name)).sort();
  if (missing.length === 0) return;
  throw new CommandError(
    `required flag(s) ${missing.map((name) => JSON.stringify(name)).join(", ")} not set`,
  );
}

/** The words of a command line, then its flags. */
function causeOf({ args, given }: ParsedFlags<FlagSet>): string {
  return ["kubectl", ...args, ...given.map(([name, text]) => `--${name}=${text}`)].join(" ");
}

interface ParsedCommand {
  readonly command: Command;
  readonly parsed: ParsedFlags<FlagSet>;
  readonly chain: CommandChain;
  readonly changeCause?: () => string;
}

async function runParsed(given: ParsedCommand, host: Host): Promise<number> {
  return inContext(given, host, async (context, cluster) => {
    const { values, changed, args, argsBeforeDash } = given.parsed;
    const invocation: Invocation = { flags: values, changed, args, argsBeforeDash };
    let code = 0;
    try {
      code = (await given.command.run(invocation, context)) ?? 0;
    } catch (error) {
      if (!host.signal.aborted) {
        logResponse(error, context.global, host);
        code = tell(error, host);
        if (code === 1) code = given.command.failureCode ?? 1;
      }
    }
    if (host.signal.aborted) return given.command.interruptedCode ?? interrupted;
    return code === 0 ? warningsCode(cluster, context.global, host) : code;
  });
}

/** Calls back with the context of a command: everything besides its own flags and arguments. */
async function inContext<T>(
  { command, parsed, chain, changeCause = () => "" }: ParsedCommand,
  host: Host,
  run: (context: Context, cluster: ConfiguredCluster) => Promise<T>,
): Promise<T> {
  const { values, changed } = parsed;
  const global = globalValues(command, values, host);
  // Help must not wait for modules that connect to servers to load.
  const access = await import("./access/configured-cluster.ts");
  await using _profile = await profileOf(global, host);
  await using cluster = new access.ConfiguredCluster(global, host, commandPath(chain));
  const context: Context = {
    ...host,
    commandPath: commandPath(chain),
    global,
    globalChanged: new Set([...changed].filter((name) => name in globalFlags)),
    cluster,
    changeCause,
    help: () => helpOf(chain, host),
    path: (name) => resolve(host.cwd, name),
  };
  return await run(context, cluster);
}

/** From -v=4 on, a failure is printed with the server's full Status. */
function logResponse(error: unknown, global: Context["global"], host: Host): void {
  const failure = error instanceof Errors && error.errors.length === 1 ? error.errors[0] : error;
  if (verbosity(global, "helpers") < 4 || !(failure instanceof StatusError)) return;
  const text = JSON.stringify(failure.status, undefined, 2);
  klog(host, "I", "helpers.go:247", `server response object: ${text}`);
}

/** Starts the profile that --profile requests. */
async function profileOf(
  { profile, "profile-output": file }: Context["global"],
  host: Host,
): Promise<AsyncDisposable | undefined> {
  if (profile === "none") return undefined;
  const { startProfile } = await import("./base/profile.ts");
  return startProfile(profile, resolve(host.cwd, file));
}

/** The values of the global flags; a global flag that the command redefines counts as not given. */
function globalValues(
  command: Command,
  values: Invocation["flags"],
  host: Host,
): Context["global"] {
  const unset = defaultValues(rootCommand(host).persistentFlags ?? {});
  const own = Object.keys(command.flags).filter((name) => Object.hasOwn(globalFlags, name));
  const kept = Object.fromEntries(own.map((name) => [name, unset[name]]));
  // Every command has the global flags.
  return { ...values, ...kept } as unknown as Context["global"];
}

/** With --warnings-as-errors, a warning is a failure. */
function warningsCode(
  { warningCount }: ConfiguredCluster,
  global: Context["global"],
  host: Host,
): number {
  if (!global["warnings-as-errors"] || warningCount === 0) return 0;
  host.err.write(`error: ${warningCount} warning${warningCount === 1 ? "" : "s"} received\n`);
  return 1;
}

/** The help of a command, or the part below its description, wrapped for this output. */
async function helpOf(
  chain: CommandChain,
  host: Host,
  part: "helpText" | "usageText" = "helpText",
): Promise<string> {
  const help = await import("./help/help.ts");
  const lineLimit = help.lineLimitOf(host.out);
  return help[part](chain, { groups: await groupsOf(chain, host), lineLimit });
}

/** The command groups in the help of kubectl itself, including plugins; undefined for its commands. */
async function groupsOf(
  chain: CommandChain,
  host: Host,
): Promise<readonly CommandGroup[] | undefined> {
  if (chain.length > 1) return undefined;
  const { pluginGroup } = await import("./completion/plugin-completions.ts");
  const plugins = { commands: pluginGroup(host, commands), areOwn: false };
  return commandGroups.map((group) =>
    group.title === pluginsTitle ? { ...group, ...plugins } : group,
  );
}

export type { GlobalFlags };
