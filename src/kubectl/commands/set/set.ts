/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set.go. */
import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl set`. */
export const set = command({
  usage: "set SUBCOMMAND",
  flags: {},
  subcommands: [
    {
      name: "image",
      summary: "Update the image of a pod template",
      load: async () => (await import("./set-image.ts")).setImage,
    },
    {
      name: "resources",
      summary: "Update resource requests/limits on objects with pod templates",
      load: async () => (await import("./set-resources.ts")).setResources,
    },
    {
      name: "selector",
      summary: "Set the selector on a resource",
      load: async () => (await import("./set-selector.ts")).setSelector,
    },
    {
      name: "subject",
      summary:
        "Update the user, group, or service account in a role binding or cluster role binding",
      load: async () => (await import("./set-subject.ts")).setSubject,
    },
    {
      name: "serviceaccount",
      aliases: ["sa"],
      summary: "Update the service account of a resource",
      load: async () => (await import("./set-service-account.ts")).setServiceAccount,
    },
    {
      name: "env",
      summary: "Update environment variables on a pod template",
      load: async () => (await import("./set-env.ts")).setEnv,
    },
  ],
  run: subcommandHelp("err"),
});
