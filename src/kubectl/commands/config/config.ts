/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/config.go. */
import { type CommandEntry, command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

const contexts = () => import("./contexts.ts");
const entries = () => import("./entries.ts");
const property = () => import("./property.ts");

const subcommands: readonly CommandEntry[] = [
  {
    name: "current-context",
    summary: "Display the current-context",
    load: async () => (await contexts()).currentContext,
  },
  {
    name: "delete-cluster",
    summary: "Delete the specified cluster from the kubeconfig",
    load: async () => (await entries()).deleteCluster,
  },
  {
    name: "delete-context",
    summary: "Delete the specified context from the kubeconfig",
    load: async () => (await entries()).deleteContext,
  },
  {
    name: "delete-user",
    summary: "Delete the specified user from the kubeconfig",
    load: async () => (await entries()).deleteUser,
  },
  {
    name: "get-clusters",
    summary: "Display clusters defined in the kubeconfig",
    load: async () => (await entries()).getClusters,
  },
  {
    name: "get-contexts",
    summary: "Describe one or many contexts",
    load: async () => (await contexts()).getContexts,
  },
  {
    name: "get-users",
    summary: "Display users defined in the kubeconfig",
    load: async () => (await entries()).getUsers,
  },
  {
    name: "rename-context",
    summary: "Rename a context from the kubeconfig file",
    load: async () => (await contexts()).renameContext,
  },
  {
    name: "set",
    summary: "Set an individual value in a kubeconfig file",
    load: async () => (await property()).setProperty,
  },
  {
    name: "set-cluster",
    summary: "Set a cluster entry in kubeconfig",
    load: async () => (await import("./set-cluster.ts")).setCluster,
  },
  {
    name: "set-context",
    summary: "Set a context entry in kubeconfig",
    load: async () => (await import("./set-context.ts")).setContext,
  },
  {
    name: "set-credentials",
    summary: "Set a user entry in kubeconfig",
    load: async () => (await import("./set-credentials.ts")).setCredentials,
  },
  {
    name: "unset",
    summary: "Unset an individual value in a kubeconfig file",
    load: async () => (await property()).unsetProperty,
  },
  {
    name: "use-context",
    aliases: ["use"],
    summary: "Set the current-context in a kubeconfig file",
    load: async () => (await contexts()).useContext,
  },
  {
    name: "view",
    summary: "Display merged kubeconfig settings or a specified kubeconfig file",
    load: async () => (await import("./view.ts")).view,
  },
];

/** `kubectl config`. */
export const config = command({
  usage: "config SUBCOMMAND",
  flags: {},
  subcommands,
  run: subcommandHelp("err"),
});
