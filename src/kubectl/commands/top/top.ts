/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/top/top.go. */
import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl top`. */
export const top = command({
  usage: "top",
  showsFlagsInUsage: true,
  flags: {},
  subcommands: [
    {
      name: "node",
      aliases: ["nodes", "no"],
      summary: "Display resource (CPU/memory) usage of nodes",
      load: async () => (await import("./top-node.ts")).topNode,
    },
    {
      name: "pod",
      aliases: ["pods", "po"],
      summary: "Display resource (CPU/memory) usage of pods",
      load: async () => (await import("./top-pod.ts")).topPod,
    },
  ],
  run: subcommandHelp("err"),
});
