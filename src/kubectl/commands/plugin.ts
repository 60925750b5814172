/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/plugin/plugin.go. */
import { readdirSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { isExecutable } from "../command/plugins.ts";
import { subcommandHelp } from "../command/subcommand-help.ts";

/** `kubectl plugin list`. */
const pluginList = command({
  usage: "list",
  flags: {
    "name-only": {
      type: "bool",
      help: "Print only the file names of plugins, without their directories",
    },
  },
  showsFlagsInUsage: true,
  async run({ flags }, context) {
    const plugins = findPlugins(context);
    const errors: string[] = [];
    if (plugins.length > 0)
      context.out.write("The following compatible plugins are available:\n\n");
    else errors.push("error: unable to find any kubectl plugins in your PATH");
    const seen = new Map<string, string>();
    let warnings = 0;
    for (const path of plugins) {
      context.out.write(`${flags["name-only"] ? basename(path) : path}\n`);
      for (const warning of await verify(path, seen, context)) {
        context.err.write(`  - ${warning}\n`);
        warnings++;
      }
    }
    if (warnings === 1) errors.push("error: one plugin warning was found");
    if (warnings > 1) errors.push(`error: ${warnings} plugin warnings were found`);
    if (errors.length > 0) throw new CommandError(`${errors.join("\n")}\n`);
  },
});

/** `kubectl plugin`. */
export const plugin = command({
  usage: "plugin [flags]",
  flags: {},
  subcommands: [
    {
      name: "list",
      summary: "List all visible plugin executables on a user's PATH",
      load: async () => pluginList,
    },
  ],
  run: subcommandHelp("err"),
});

function findPlugins(context: Context): string[] {
  const folders = new Set(
    (context.env["PATH"] ?? "").split(delimiter).filter((dir) => dir.trim() !== ""),
  );
  return [...folders].flatMap((folder) => {
    try {
      return readdirSync(context.path(folder), { withFileTypes: true })
        .filter((entry) => !entry.isDirectory() && entry.name.startsWith("kubectl-"))
        .map(({ name }) => join(folder, name))
        .sort();
    } catch (error) {
      context.err.write(
        `Unable to read directory ${goQuote(folder)} from your PATH: ${openFailure(folder, error)}. Skipping...\n`,
      );
      return [];
    }
  });
}

async function verify(
  path: string,
  seen: Map<string, string>,
  context: Context,
): Promise<string[]> {
  const { commands } = await import("./index.ts");
  const name = basename(path);
  const [, first] = name.split("-");
  const earlier = seen.get(name);
  if (earlier === undefined) seen.set(name, path);
  const overwritten = commands.find((entry) => entry.name === first);
  return [
    ...(isExecutable(context.path(path))
      ? []
      : [`warning: ${path} identified as a kubectl plugin, but it is not executable`]),
    ...(earlier === undefined
      ? []
      : [`warning: ${path} is overshadowed by a similarly named plugin: ${earlier}`]),
    ...(overwritten
      ? [`warning: ${name} overwrites existing command: "kubectl ${overwritten.name}"`]
      : []),
  ];
}
