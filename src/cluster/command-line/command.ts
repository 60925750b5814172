import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { flagUsage } from "#/std/flags/flag-usage.ts";
import { FlagError, type FlagSet, type ParsedFlags, parseFlags } from "#/std/flags/flags.ts";
import { plainText } from "#/std/text/plain-text.ts";
import { currentContext } from "../access/current-context.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { checkReadable, failureText } from "../base/needs-root.ts";
import { ownCommand } from "../base/own-command.ts";
import { ownVersion } from "../base/own-version.ts";
import {
  type ClusterPaths,
  clusterFolder,
  clusterPaths,
  defaultClusterName,
} from "../base/paths.ts";
import { findSettings } from "../base/settings.ts";
import { registeredFolder } from "../machine/host-changes.ts";
import { currentProgram } from "../release/versions.ts";
import { type ArgumentNames, checkArguments } from "./arguments.ts";
import { chooseCluster, clusterVariable, isClusterName } from "./choose-cluster.ts";
import { withNearFlag } from "./near-flag.ts";
import { wrapParagraphs } from "./wrap-paragraphs.ts";

/** An example of `--help`: what it does, and the command line without the leading "k8ts". */
type Example = readonly [purpose: string, commandLine: string];

interface CommandDeclaration<Flags extends FlagSet> {
  /** The words of the command itself: "up", "image load". */
  readonly name: string;
  /** A few sentences for `--help`. */
  readonly description: string;
  /** The arguments that are not flags; none if not given. */
  readonly arguments?: ArgumentNames;
  readonly examples: readonly Example[];
  readonly flags: Flags;
  /** Shown when the user ends the command with Ctrl-C: what continues in the background, and the next steps. */
  readonly whenInterrupted?: (cluster: string) => string;
  /** Whether it starts programs of the cluster: the version that the cluster runs does it. */
  readonly startsPrograms?: boolean;
  /** Adds words to the command line, such as flags from a file. */
  expand?(parsed: ParsedFlags<Flags>, args: readonly string[]): Promise<readonly string[]>;
  run(parsed: ParsedFlags<Flags>): Promise<number | undefined>;
}

/** The `main` of a command, with its declaration. */
interface CommandMain<Flags extends FlagSet> {
  (args: readonly string[]): Promise<number>;
  readonly declaration: CommandDeclaration<Flags>;
}

/** Makes the `main` of a command: parses and checks the command line, prints help, reports a failure in a line. */
export function command<Flags extends FlagSet>(
  declaration: CommandDeclaration<Flags>,
): CommandMain<Flags> {
  const main = async (args: readonly string[]): Promise<number> => {
    try {
      const written = parseFlags(declaration.flags, args);
      const words = written.help ? args : await declaration.expand?.(written, args);
      const parsed = words ? parseFlags(declaration.flags, words) : written;
      if (parsed.help) {
        process.stdout.write(helpText(declaration));
        return 0;
      }
      const hasName = "name" in declaration.flags;
      checkArguments(declaration.arguments ?? [], parsed.args, { hasName });
      const values = await withCluster(parsed.values);
      const other = declaration.startsPrograms ? otherVersion(values) : undefined;
      if (other !== undefined) return await runOther(other, [declaration.name, ...args]);
      using _interruption = onInterrupt(interruptedText(declaration.whenInterrupted, values));
      return (await declaration.run({ ...parsed, values })) ?? 0;
    } catch (error) {
      const flags = Object.keys(declaration.flags);
      process.stderr.write(`k8ts: ${plainText(withNearFlag(failureText(error), flags))}\n`);
      if (error instanceof FlagError) {
        process.stderr.write(`See: ${ownCommand(`help ${declaration.name}`)}\n`);
      }
      return 1;
    }
  };
  return Object.assign(main, { declaration });
}

/** The program of the cluster of a command, if that is not of this version. */
function otherVersion(values: object): string | undefined {
  if (!("name" in values && "data-dir" in values)) return undefined;
  const program = currentProgram(pathsOf(values as Parameters<typeof pathsOf>[0]));
  return program !== undefined && ownVersion(program) !== ownVersion() ? program : undefined;
}

/** Runs the command by another program. A signal of the terminal reaches both. */
async function runOther(program: string, words: readonly string[]): Promise<number> {
  const version = ownVersion(program);
  process.stderr.write(`k8ts: the cluster runs k8ts ${version}, which does this\n`);
  const ignore = (): void => undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, ignore);
  const child = spawn(join(program, "k8ts"), words, { stdio: "inherit" });
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** The page of `k8ts COMMAND --help`. */
function helpText<Flags extends FlagSet>(declaration: CommandDeclaration<Flags>): string {
  const { name, description, examples, flags } = declaration;
  const words = [name, ...(declaration.arguments ?? []), "[flags]"].join(" ");
  const shown = examples.map(([purpose, line]) => `  # ${purpose}\n  k8ts ${line}\n`).join("\n");
  const columns = Math.max(80, process.stdout.columns ?? 80);
  return `${wrapParagraphs(description)}

Usage: k8ts ${words}

Examples:
${shown}
Flags:
${flagUsage(flags, { columns })}`;
}

/** Chooses the cluster's name, for all commands. */
async function withCluster<Values extends object>(values: Values): Promise<Values> {
  if (!("name" in values) || typeof values.name !== "string") return values;
  const environment = process.env[clusterVariable];
  const isOpen = values.name === "" && !environment;
  const name = chooseCluster({
    flag: values.name,
    environment,
    context: isOpen ? await currentContext() : undefined,
    fallback: defaultClusterName,
    exists: (candidate) => findSettings(clusterPaths(clusterFolder(candidate))) !== undefined,
  });
  if (!isClusterName(name)) {
    throw new CommandFailure(
      `"${name}" is no name of a cluster: at most 32 lower-case letters, digits and hyphens`,
    );
  }
  return { ...values, name };
}

/** The text for the cluster of the command. */
function interruptedText(
  text: CommandDeclaration<FlagSet>["whenInterrupted"],
  values: object,
): string | undefined {
  return text?.("name" in values ? String(values.name) : defaultClusterName);
}

/** Prints the text, then ends by the signal, so that the caller's shell sees it. */
function onInterrupt(text: string | undefined): Disposable {
  const stop = (signal: NodeJS.Signals) => {
    process.stderr.write(`\nk8ts: interrupted; ${text}\n`);
    process.kill(process.pid, signal);
  };
  // `k8ts down` ends other commands on the cluster by this signal.
  const signals = text === undefined ? [] : (["SIGINT", "SIGTERM"] as const);
  for (const signal of signals) process.once(signal, stop);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

/**
 * The files of the cluster that the flags name. Without --data-dir, a cluster of that name that runs is found wherever its
 * data are: another one would have the same units, network and context.
 */
export function pathsOf(flags: {
  readonly name: string;
  readonly "data-dir": string;
}): ClusterPaths {
  const folder = flags["data-dir"] ? resolve(flags["data-dir"]) : folderOf(flags.name);
  checkReadable(folder);
  return clusterPaths(folder);
}

function folderOf(name: string): string {
  const usual = clusterFolder(name);
  if (existsSync(clusterPaths(usual).settings)) return usual;
  const registered = registeredFolder(name);
  return registered !== undefined && existsSync(registered) ? registered : usual;
}
