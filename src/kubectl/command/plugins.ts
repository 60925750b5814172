/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/plugin.go. */
import { delimiter, join } from "node:path";
import { accessSync, constants, statSync } from "#/std/files/node-fs.ts";
import { ExitError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { type FoundCommand, findEntry, stripFlags } from "./find-command.ts";

/** A plugin program, with its arguments. */
interface Plugin {
  readonly file: string;
  readonly args: readonly string[];
}

/** The plugin of a command line for which mayBePlugin() is true. */
export function findPlugin(
  found: FoundCommand,
  args: readonly string[],
  host: Host,
): Plugin | undefined {
  const command = found.chain.at(-1);
  const [first] = found.args;
  if (command === undefined || args.length === 0) return undefined;
  if (found.chain.length === 1) {
    const isComplete = args.some((arg) => arg.startsWith("__complete"));
    const hasNames = stripFlags(found.args, command.persistentFlags ?? {}).length > 0;
    return isComplete || !hasNames ? undefined : lookUp(args, 1, host);
  }
  if (first === undefined || !isPlain(first)) return undefined;
  if (findEntry(command.subcommands ?? [], first)) return undefined;
  return lookUp(args, args.length - found.args.length + 1, host);
}

const isPlain = (arg: string): boolean => !arg.startsWith("-");

function lookUp(args: readonly string[], minNames: number, host: Host): Plugin | undefined {
  const firstFlag = args.findIndex((arg) => !isPlain(arg));
  const names = args.slice(0, firstFlag < 0 ? undefined : firstFlag);
  if (names.length === 0) {
    throw new ExitError(1, `Error: flags cannot be placed before plugin name: ${args[0]}`);
  }
  for (let count = names.length; count >= minNames; count--) {
    const name = names
      .slice(0, count)
      .map((part) => part.replaceAll("-", "_"))
      .join("-");
    const file = findExecutable(`kubectl-${name}`, host.env["PATH"] ?? "");
    if (file !== undefined) return { file, args: args.slice(count) };
  }
  return undefined;
}

/** The first executable file of a name in a list of folders. */
export function findExecutable(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** True if a file exists and is executable. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Runs a plugin with our streams and returns its exit code. */
export async function runPlugin({ file, args }: Plugin, host: Host): Promise<number> {
  const { spawn } = await import("node:child_process");
  const env = { ...host.env, KUBECTL_PATH: process.argv[1] ?? "kubectl" };
  const child = spawn(file, args, { stdio: "inherit", env, cwd: host.cwd });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 0 : 1)));
  });
}
