/** Upstream: k8s.io/kubectl/pkg/cmd/kuberc/kuberc.go. */
import { command } from "../../command.ts";
import { subcommandHelp } from "../subcommand-help.ts";

/** `kubectl kuberc`. */
export const kuberc = command({
  usage: "kuberc SUBCOMMAND",
  description:
    "Shows and changes the file of your preferences: defaults of flags, aliases of commands.",
  examples: [
    ["Show it", "kubectl kuberc view"],
    ["Another default", "kubectl kuberc set --section defaults --command get --option output=wide"],
  ],
  flags: {},
  subcommands: [
    {
      name: "set",
      summary: "Set values in the kuberc configuration",
      load: async () => (await import("./set.ts")).setKuberc,
    },
    {
      name: "view",
      summary: "Display the current kuberc configuration",
      load: async () => (await import("./view.ts")).viewKuberc,
    },
  ],
  run: subcommandHelp("err"),
});
