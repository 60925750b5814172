import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { CommandFailure } from "../base/command-failure.ts";
import { defaultClusterName } from "../base/paths.ts";
import { type ClusterConfig, joinReader, planConfig } from "./plan-config.ts";
import { readDocuments } from "./read-documents.ts";

/** The configuration that is read if none is given. */
const usualFile = "/etc/k8ts/config.yaml";

/** The flags of a command that reads a configuration. */
interface ConfigFlags {
  readonly name: string;
  readonly config: string;
}

/** The given file, or the usual one if it exists; that one is not for a cluster that is named on the command line. */
function configFile({ name, config }: ConfigFlags): string | undefined {
  if (config !== "") return config;
  const isNamed = name !== "" && name !== defaultClusterName;
  return !isNamed && existsSync(usualFile) ? usualFile : undefined;
}

/** Reads a configuration file. Rejects with all its problems. */
export async function readConfig(
  file: string,
  reader?: Parameters<typeof planConfig>[1],
): Promise<ClusterConfig> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`the configuration can't be read: ${error.message}`);
  });
  const { problems, ...config } = planConfig(readDocuments(file, text), reader);
  if (problems.length > 0) {
    throw new CommandFailure(["this configuration can't be used:", ...problems].join("\n  "));
  }
  return config;
}

/** The command line with the flags of the configuration, except those that it has itself. */
export async function expandConfig(
  { values, changed }: { readonly values: ConfigFlags; readonly changed: ReadonlySet<string> },
  args: readonly string[],
): Promise<readonly string[]> {
  const file = configFile(values);
  if (file === undefined) return args;
  const config = await readConfig(file);
  const words = config.args.filter(({ flag }) => !changed.has(flag)).map(({ word }) => word);
  return [...words, ...args];
}

/** The content of a command's configuration, for its settings; undefined if it has none. */
export async function configOf(values: ConfigFlags) {
  const file = configFile(values);
  if (file === undefined) return undefined;
  const { args, documents } = await readConfig(file);
  return { flagNames: [...new Set(args.map(({ flag }) => flag))], documents };
}

/** The command line of `join` with the flags of its configuration, and the server's address. */
export async function expandJoin(
  {
    values,
    changed,
    args: given,
  }: {
    readonly values: { readonly config: string };
    readonly changed: ReadonlySet<string>;
    readonly args: readonly string[];
  },
  args: readonly string[],
): Promise<readonly string[]> {
  if (values.config === "") return args;
  const config = await readConfig(values.config, joinReader);
  const words = config.args.filter(({ flag }) =>
    flag === "" ? given.length === 0 : !changed.has(flag),
  );
  return [...words.map(({ word }) => word), ...args];
}

/** The configurations of components for a machine that joins; undefined without a file. */
export async function joinDocuments({ config }: { readonly config: string }) {
  return config === "" ? undefined : (await readConfig(config, joinReader)).documents;
}
