/** Upstream: k8s.io/kubectl/pkg/cmd/auth/auth.go. */
import { command } from "../../command.ts";
import { subcommandHelp } from "../subcommand-help.ts";

/** `kubectl auth`. */
export const auth = command({
  usage: "auth",
  description: "Inspects who you are and what you may do.",
  flags: {},
  subcommands: [
    {
      name: "can-i",
      summary: "Check whether an action is allowed",
      load: async () => (await import("./can-i.ts")).canI,
    },
    {
      name: "whoami",
      summary: "Experimental: Check self subject attributes",
      load: async () => (await import("./whoami.ts")).whoami,
    },
  ],
  run: subcommandHelp("err"),
});
