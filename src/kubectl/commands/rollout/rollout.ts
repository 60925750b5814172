/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/rollout/rollout.go. */
import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl rollout`. */
export const rollout = command({
  usage: "rollout SUBCOMMAND",
  flags: {},
  subcommands: [
    {
      name: "history",
      summary: "View rollout history",
      load: async () => (await import("./rollout-history.ts")).rolloutHistory,
    },
    {
      name: "pause",
      summary: "Mark the provided resource as paused",
      load: async () => (await import("./rollout-changes.ts")).rolloutPause,
    },
    {
      name: "restart",
      summary: "Restart a resource",
      load: async () => (await import("./rollout-changes.ts")).rolloutRestart,
    },
    {
      name: "resume",
      summary: "Resume a paused resource",
      load: async () => (await import("./rollout-changes.ts")).rolloutResume,
    },
    {
      name: "status",
      summary: "Show the status of the rollout",
      load: async () => (await import("./rollout-status.ts")).rolloutStatus,
    },
    {
      name: "undo",
      summary: "Undo a previous rollout",
      load: async () => (await import("./rollout-undo.ts")).rolloutUndo,
    },
  ],
  run: subcommandHelp("out"),
});
