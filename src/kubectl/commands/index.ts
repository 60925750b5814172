/** Upstream: k8s.io/kubectl/pkg/cmd/cmd.go. */
import type { CommandEntry } from "../command.ts";
import type { CommandGroup } from "../help.ts";

/** The commands as help shows them, in upstream's groups and order. Each is loaded when it is called. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Basic Commands (Beginner):",
    commands: [
      {
        name: "create",
        summary: "Create a resource from a file or from stdin",
        load: async () => (await import("./create/create.ts")).create,
      },
    ],
  },
  {
    title: "Basic Commands (Intermediate):",
    commands: [
      {
        name: "get",
        summary: "Display one or many resources",
        suggestFor: ["list", "ls"],
        load: async () => (await import("./get/get.ts")).get,
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
    commands: [],
  },
  {
    title: "Cluster Management Commands:",
    commands: [],
  },
  {
    title: "Troubleshooting and Debugging Commands:",
    commands: [
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
    ],
  },
  {
    title: "Advanced Commands:",
    commands: [
      {
        name: "apply",
        summary: "Apply a configuration to a resource by file name or stdin",
        load: async () => (await import("./apply/apply.ts")).apply,
      },
      {
        name: "wait",
        summary: "Wait for a specific condition on one or many resources",
        load: async () => (await import("./wait.ts")).wait,
      },
    ],
  },
  {
    title: "Settings Commands:",
    commands: [],
  },
  {
    title: "Subcommands provided by plugins:",
    commands: [],
  },
  {
    title: "Other Commands:",
    commands: [],
  },
];

/** All commands. */
export const commands: readonly CommandEntry[] = commandGroups.flatMap((group) => group.commands);
