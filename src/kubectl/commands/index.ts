/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cmd.go. */
import type { CommandEntry } from "../command/command.ts";
import type { CommandGroup } from "../help/help.ts";

/** Its subcommands are known only at run time. */
export const pluginsTitle = "Subcommands provided by plugins:";

/** The commands as help shows them, in upstream's groups and order. Each is loaded when it is called. */
export const commandGroups: readonly CommandGroup<CommandEntry>[] = [
  {
    title: "Basic Commands (Beginner):",
    commands: [
      {
        name: "create",
        summary: "Create a resource from a file or from stdin",
        load: async () => (await import("./create/create.ts")).create,
      },
      {
        name: "expose",
        summary:
          "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        load: async () => (await import("./expose.ts")).expose,
      },
      {
        name: "run",
        summary: "Run a particular image on the cluster",
        load: async () => (await import("./run.ts")).run,
      },
      {
        name: "set",
        summary: "Set specific features on objects",
        load: async () => (await import("./set/set.ts")).set,
      },
    ],
  },
  {
    title: "Basic Commands (Intermediate):",
    commands: [
      {
        name: "explain",
        summary: "Get documentation for a resource",
        load: async () => (await import("./explain/explain.ts")).explain,
      },
      {
        name: "get",
        summary: "Display one or many resources",
        suggestFor: ["list", "ls"],
        load: async () => (await import("./get/get.ts")).get,
      },
      {
        name: "edit",
        summary: "Edit a resource on the server",
        load: async () => (await import("./edit/edit.ts")).edit,
      },
      {
        name: "delete",
        summary:
          "Delete resources by file names, stdin, resources and names, or by resources and label selector",
        suggestFor: ["rm", "remove"],
        load: async () => (await import("./delete.ts")).deleteCommand,
      },
    ],
  },
  {
    title: "Deploy Commands:",
    commands: [
      {
        name: "rollout",
        summary: "Manage the rollout of a resource",
        load: async () => (await import("./rollout/rollout.ts")).rollout,
      },
      {
        name: "scale",
        summary: "Set a new size for a deployment, replica set, or replication controller",
        load: async () => (await import("./scale.ts")).scale,
      },
      {
        name: "autoscale",
        summary: "Auto-scale a deployment, replica set, stateful set, or replication controller",
        load: async () => (await import("./autoscale.ts")).autoscale,
      },
    ],
  },
  {
    title: "Cluster Management Commands:",
    commands: [
      {
        name: "certificate",
        summary: "Modify certificate resources",
        load: async () => (await import("./certificate.ts")).certificate,
      },
      {
        name: "cluster-info",
        summary: "Display cluster information",
        load: async () => (await import("./cluster-info/cluster-info.ts")).clusterInfo,
      },
      {
        name: "top",
        summary: "Display resource (CPU/memory) usage",
        suggestFor: ["stats"],
        load: async () => (await import("./top/top.ts")).top,
      },
      {
        name: "cordon",
        summary: "Mark node as unschedulable",
        load: async () => (await import("./drain/cordon.ts")).cordon,
      },
      {
        name: "uncordon",
        summary: "Mark node as schedulable",
        load: async () => (await import("./drain/cordon.ts")).uncordon,
      },
      {
        name: "drain",
        summary: "Drain node in preparation for maintenance",
        load: async () => (await import("./drain/drain.ts")).drain,
      },
      {
        name: "taint",
        summary: "Update the taints on one or more nodes",
        load: async () => (await import("./taint.ts")).taint,
      },
    ],
  },
  {
    title: "Troubleshooting and Debugging Commands:",
    commands: [
      {
        name: "describe",
        summary: "Show details of a specific resource or group of resources",
        suggestFor: ["inspect"],
        load: async () => (await import("./describe/describe.ts")).describe,
      },
      {
        name: "logs",
        summary: "Print the logs for a container in a pod",
        load: async () => (await import("./logs.ts")).logs,
      },
      {
        name: "attach",
        summary: "Attach to a running container",
        load: async () => (await import("./attach.ts")).attach,
      },
      {
        name: "exec",
        summary: "Execute a command in a container",
        load: async () => (await import("./exec.ts")).exec,
      },
      {
        name: "port-forward",
        summary: "Forward one or more local ports to a pod",
        load: async () => (await import("./port-forward.ts")).portForward,
      },
      {
        name: "proxy",
        summary: "Run a proxy to the Kubernetes API server",
        load: async () => (await import("./proxy.ts")).proxy,
      },
      {
        name: "cp",
        summary: "Copy files and directories to and from containers",
        load: async () => (await import("./cp/cp.ts")).cp,
      },
      {
        name: "auth",
        summary: "Inspect authorization",
        load: async () => (await import("./auth/auth.ts")).auth,
      },
      {
        name: "debug",
        summary: "Create debugging sessions for troubleshooting workloads and nodes",
        load: async () => (await import("./debug/debug.ts")).debug,
      },
      {
        name: "events",
        summary: "List events",
        load: async () => (await import("./events/events.ts")).events,
      },
    ],
  },
  {
    title: "Advanced Commands:",
    commands: [
      {
        name: "diff",
        summary: "Diff the live version against a would-be applied version",
        load: async () => (await import("./diff.ts")).diff,
      },
      {
        name: "apply",
        summary: "Apply a configuration to a resource by file name or stdin",
        load: async () => (await import("./apply/apply.ts")).apply,
      },
      {
        name: "patch",
        summary: "Update fields of a resource",
        load: async () => (await import("./patch.ts")).patch,
      },
      {
        name: "replace",
        summary: "Replace a resource by file name or stdin",
        load: async () => (await import("./replace.ts")).replace,
      },
      {
        name: "wait",
        summary: "Wait for a specific condition on one or many resources",
        load: async () => (await import("./wait.ts")).wait,
      },
      {
        name: "kustomize",
        summary: "Build a kustomization target from a directory or URL",
        load: async () => (await import("./kustomize.ts")).kustomize,
      },
    ],
  },
  {
    title: "Settings Commands:",
    commands: [
      {
        name: "label",
        summary: "Update the labels on a resource",
        load: async () => (await import("./label.ts")).label,
      },
      {
        name: "annotate",
        summary: "Update the annotations on a resource",
        load: async () => (await import("./annotate.ts")).annotate,
      },
      {
        name: "completion",
        summary:
          "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
        load: async () => (await import("./completion.ts")).completion,
      },
    ],
  },
  {
    title: pluginsTitle,
    commands: [],
  },
  {
    title: "Other Commands:",
    commands: [
      {
        name: "alpha",
        summary: "Commands for features in alpha",
        hidden: true,
        load: async () => (await import("./alpha.ts")).alpha,
      },
      {
        name: "api-resources",
        summary: "Print the supported API resources on the server",
        load: async () => (await import("./api-resources.ts")).apiResources,
      },
      {
        name: "api-versions",
        summary: 'Print the supported API versions on the server, in the form of "group/version"',
        load: async () => (await import("./api-versions.ts")).apiVersions,
      },
      {
        name: "config",
        summary: "Modify kubeconfig files",
        load: async () => (await import("./config/config.ts")).config,
      },
      {
        name: "diff-at",
        summary: "Show what has changed in an object since a revision or a time",
        hidden: true,
        load: async () => (await import("./history/diff-at.ts")).diffAt,
      },
      {
        name: "history",
        summary: "Show the last versions of an object, and who changed what",
        hidden: true,
        load: async () => (await import("./history/history.ts")).history,
      },
      {
        name: "journey",
        summary: "Show what happened to an object in each layer, with times",
        hidden: true,
        load: async () => (await import("./journey/journey.ts")).journey,
      },
      {
        name: "kuberc",
        summary: "Manage kuberc configuration files",
        load: async () => (await import("./kuberc/kuberc.ts")).kuberc,
      },
      {
        name: "options",
        summary: "Print the list of flags inherited by all commands",
        load: async () => (await import("./options.ts")).options,
      },
      {
        name: "plugin",
        summary: "Provides utilities for interacting with plugins",
        load: async () => (await import("./plugin.ts")).plugin,
      },
      {
        name: "version",
        summary: "Print the client and server version information",
        load: async () => (await import("./version.ts")).version,
      },
      {
        name: "why",
        summary: "Say why an object is stuck: in which layer, and what would put it right",
        hidden: true,
        load: async () => (await import("./why/why.ts")).why,
      },
    ],
  },
];

/** All commands. */
export const commands: readonly CommandEntry[] = commandGroups.flatMap((group) => group.commands);
