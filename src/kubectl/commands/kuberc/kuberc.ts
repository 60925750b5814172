/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/kuberc/kuberc.go. */
import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl kuberc`. */
export const kuberc = command({
  usage: "kuberc SUBCOMMAND",
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
