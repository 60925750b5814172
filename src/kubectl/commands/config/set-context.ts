/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/set_context.go. */

import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { command } from "../../command/command.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

const flags = {
  current: { type: "bool", help: "Change the current context, so that no name is needed" },
  cluster: { type: "string", help: "Cluster entry that the context uses" },
  user: { type: "string", help: "User entry that the context uses" },
  namespace: { type: "string", shorthand: "n", help: "Namespace of commands that name none" },
} satisfies FlagSet;

/** `kubectl config set-context`. */
export const setContext = command({
  usage:
    "set-context [NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
  flags,
  completes: { of: "kubeconfig", section: "contexts", once: true },
  completesFlags: { namespace: { of: "names", type: "namespaces" } },
  async run({ flags: values, changed: given, args }, context) {
    const { current } = values;
    if (args.length > 1) throw await unexpectedArgs(args, context);
    const [named = ""] = args;
    if (named === "" && !current) {
      throw new CommandError("you must specify a non-empty context name or --current");
    }
    if (named !== "" && current) {
      throw new CommandError("you cannot specify both a context name and --current");
    }
    const access = await KubeconfigAccess.open(context);
    const name = current ? (access.config["current-context"] ?? "") : named;
    if (name === "") throw new CommandError("no current context is set");
    const old = access.find("contexts", name);
    const entry = { cluster: "", user: "", ...old?.context };
    for (const field of ["cluster", "user", "namespace"] as const) {
      if (given.has(field)) entry[field] = values[field];
    }
    await access.put("contexts", { name, context: entry });
    context.out.write(`Context ${goQuote(name)} ${old ? "modified" : "created"}.\n`);
  },
});
