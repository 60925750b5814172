/** Upstream: k8s.io/kubectl/pkg/cmd/config/set_context.go. */

import type { FlagSet } from "#/std/flags.ts";
import { goQuote } from "#/std/go-quote.ts";
import { command } from "../../command.ts";
import { CommandError } from "../../errors.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

const flags = {
  current: { type: "bool", help: "Modify the current context" },
} satisfies FlagSet;

/** `kubectl config set-context`. Cluster, user and namespace are those of the global flags. */
export const setContext = command({
  usage:
    "set-context [NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
  description: "Sets a context entry; fields that aren't given stay as they are.",
  examples: [["The user of a context", "kubectl config set-context gce --user=cluster-admin"]],
  flags,
  async run({ flags: { current }, args }, context) {
    const { global, globalChanged, out } = context;
    if (args.length > 1) throw unexpectedArgs(args, context);
    const [given = ""] = args;
    if (given === "" && !current) {
      throw new CommandError("you must specify a non-empty context name or --current");
    }
    if (given !== "" && current) {
      throw new CommandError("you cannot specify both a context name and --current");
    }
    const access = await KubeconfigAccess.open(context);
    const name = current ? (access.config["current-context"] ?? "") : given;
    if (name === "") throw new CommandError("no current context is set");
    const old = access.find("contexts", name);
    const changed = { cluster: "", user: "", ...old?.context };
    for (const field of ["cluster", "user", "namespace"] as const) {
      if (globalChanged.has(field)) changed[field] = global[field];
    }
    await access.put("contexts", { name, context: changed });
    out.write(`Context ${goQuote(name)} ${old ? "modified" : "created"}.\n`);
  },
});
