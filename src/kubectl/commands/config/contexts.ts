/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/{current_context,use_context,rename_context,get_contexts}.go. */

import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, throwAll } from "../../base/errors.ts";
import { command } from "../../command/command.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

/** `kubectl config current-context`. */
export const currentContext = command({
  usage: "current-context",
  flags: {},
  showsFlagsInUsage: true,
  async run(_, context) {
    const { config } = await KubeconfigAccess.open(context);
    const name = config["current-context"];
    if (!name) throw new CommandError("current-context is not set");
    context.out.write(`${name}\n`);
  },
});

/** `kubectl config use-context`. */
export const useContext = command({
  usage: "use-context CONTEXT_NAME",
  aliases: ["use"],
  flags: {},
  completes: { of: "kubeconfig", section: "contexts", once: true },
  async run({ args }, context) {
    const [name] = args;
    if (name === undefined || args.length !== 1) throw await unexpectedArgs(args, context);
    if (name === "") throw new CommandError("empty context names are not allowed");
    const access = await KubeconfigAccess.open(context);
    if (!access.find("contexts", name)) {
      throw new CommandError(`no context exists with the name: ${goQuote(name)}`);
    }
    await access.setCurrent(name);
    context.out.write(`Switched to context ${goQuote(name)}.\n`);
  },
});

/** `kubectl config rename-context`. */
export const renameContext = command({
  usage: "rename-context CONTEXT_NAME NEW_NAME",
  flags: {},
  completes: { of: "kubeconfig", section: "contexts", once: true },
  async run({ args }, context) {
    const [name = "", renamed = ""] = args;
    if (args.length !== 2) throw await unexpectedArgs(args, context);
    if (renamed === "") throw new CommandError("You must specify a new non-empty context name");
    const access = await KubeconfigAccess.open(context);
    const entry = access.find("contexts", name);
    const where = access.defaultFile;
    if (!entry) {
      throw new CommandError(`cannot rename the context ${goQuote(name)}, it's not in ${where}`);
    }
    if (access.find("contexts", renamed)) {
      throw new CommandError(
        `cannot rename the context ${goQuote(name)}, the context ${goQuote(renamed)} already exists in ${where}`,
      );
    }
    await access.put("contexts", { ...entry, name: renamed });
    await access.remove("contexts", name);
    if (access.config["current-context"] === name) await access.setCurrent(renamed);
    context.out.write(`Context ${goQuote(name)} renamed to ${goQuote(renamed)}.\n`);
  },
});

const listFlags = {
  "no-headers": { type: "bool", help: "Print the table without its first line" },
  output: { type: "string", shorthand: "o", help: "Output format. One of: (name)." },
} satisfies FlagSet;

/** `kubectl config get-contexts`. */
export const getContexts = command({
  usage: "get-contexts [(-o|--output=)name)]",
  flags: listFlags,
  async run({ flags: { output, "no-headers": noHeaders }, args }, context) {
    if (output !== "" && output !== "name") {
      throw new CommandError(
        `--output ${output} is not available in kubectl config get-contexts; resetting to default output format`,
      );
    }
    const access = await KubeconfigAccess.open(context);
    const wanted = args.length > 0 ? [...args].sort() : access.names("contexts");
    const missing = wanted.filter((name) => !access.find("contexts", name));
    const table = new TabWriter((text) => context.out.write(text));
    const isNames = output === "name";
    if (!noHeaders && !isNames) table.write("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n");
    for (const name of wanted) {
      const entry = access.find("contexts", name);
      if (!entry) continue;
      const { cluster = "", user = "", namespace = "" } = entry.context;
      const mark = access.config["current-context"] === name ? "*" : "";
      table.write(isNames ? `${name}\n` : `${[mark, name, cluster, user, namespace].join("\t")}\n`);
    }
    table.flush();
    throwAll(missing.map((name) => new CommandError(`context ${name} not found`)));
  },
});
