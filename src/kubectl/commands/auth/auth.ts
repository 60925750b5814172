/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/auth.go. */
import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl auth`. */
export const auth = command({
  usage: "auth",
  showsFlagsInUsage: true,
  flags: {},
  subcommands: [
    {
      name: "can-i",
      summary: "Check whether an action is allowed",
      load: async () => (await import("./can-i.ts")).canI,
    },
    {
      name: "reconcile",
      summary:
        "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
      load: async () => (await import("./reconcile.ts")).reconcile,
    },
    {
      name: "whoami",
      summary: "Experimental: Check self subject attributes",
      load: async () => (await import("./whoami.ts")).whoami,
    },
  ],
  run: subcommandHelp("err"),
});
