import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { ownCommand } from "./base/own-command.ts";
import { ownVersion } from "./base/own-version.ts";
import { nearCommands, overview } from "./command-line/overview.ts";
import type { CompletableCommand } from "./commands/completion.ts";
import { parts } from "./parts/index.ts";

/** One subcommand of k8ts. Its module is loaded only when it is called, so that --version stays fast. */
interface Command extends CompletableCommand {
  readonly load: () => Promise<{ main(args: readonly string[]): Promise<number> }>;
}

const commands: readonly Command[] = [
  {
    name: "up",
    group: "use",
    summary: "start a cluster on this machine",
    load: () => import("./commands/up.ts"),
  },
  {
    name: "down",
    group: "use",
    summary: "stop it; --purge removes it with all its data",
    load: () => import("./commands/down.ts"),
  },
  {
    name: "config",
    group: "use",
    summary: "show, check and explain configurations of clusters",
    load: () => import("./commands/config.ts"),
  },
  {
    name: "upgrade",
    group: "use",
    summary: "have it run another version of k8ts",
    load: () => import("./commands/upgrade.ts"),
  },
  {
    name: "bundle",
    group: "use",
    summary: "make one file for machines without a network",
    load: () => import("./commands/bundle.ts"),
  },
  {
    name: "status",
    group: "use",
    summary: "show its health, nodes and sick Pods",
    load: () => import("./status/status.ts"),
  },
  {
    name: "doctor",
    group: "use",
    summary: "check whether this machine can run a cluster",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "list",
    group: "use",
    summary: "list the clusters of this machine",
    load: () => import("./commands/list.ts"),
  },
  {
    name: "logs",
    group: "use",
    summary: "show the logs of all components, or of some",
    load: () => import("./commands/logs.ts"),
  },
  {
    name: "console",
    group: "use",
    summary: "open a web console for a cluster",
    load: () => import("./commands/console.ts"),
  },
  {
    name: "image",
    group: "use",
    summary: "load, list and remove images",
    load: () => import("./images/image.ts"),
  },
  {
    name: "kubectl",
    group: "use",
    summary: "talk to a cluster, with upstream's commands",
    load: () => import("#/kubectl/run.ts"),
  },
  {
    name: "journey",
    group: "use",
    summary: "show an object's way through the layers, with times",
    isOfKubectl: true,
    load: () => kubectl("journey"),
  },
  {
    name: "why",
    group: "use",
    summary: "say why an object is stuck, and how to fix it",
    isOfKubectl: true,
    load: () => kubectl("why"),
  },
  {
    name: "history",
    group: "use",
    summary: "show the versions of an object and their writers",
    isOfKubectl: true,
    load: () => kubectl("history"),
  },
  {
    name: "diff",
    group: "use",
    summary: "show what changed in an object since then",
    load: () => kubectl("diff-at"),
  },
  {
    name: "snapshot",
    group: "use",
    summary: "save a whole cluster, and restore it",
    load: () => import("./commands/snapshot.ts"),
  },
  {
    name: "migrate",
    group: "use",
    summary: "move its objects to etcd, or back",
    load: () => import("./commands/migrate.ts"),
  },
  {
    name: "user",
    group: "use",
    summary: "give other people access to it",
    load: () => import("./commands/user.ts"),
  },
  {
    name: "trust",
    group: "use",
    summary: "trust the certificates of its names below localhost",
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "certificate",
    group: "use",
    summary: "show the certificates, and when each ends",
    load: () => import("./commands/certificate.ts"),
  },
  {
    name: "node",
    group: "nodes",
    summary: "add, remove and list nodes on this machine",
    load: () => import("./commands/node.ts"),
  },
  {
    name: "token",
    group: "nodes",
    summary: "create a token with which another machine joins",
    load: () => import("./commands/token.ts"),
  },
  {
    name: "join",
    group: "nodes",
    summary: "make this machine a node of another's cluster",
    load: () => import("./commands/join.ts"),
  },
  {
    name: "leave",
    group: "nodes",
    summary: "take this machine, or one that is gone, out of it",
    load: () => import("./commands/leave.ts"),
  },
  {
    name: "etcd",
    group: "nodes",
    summary: "list the members of its etcd, and defragment them",
    load: () => import("./commands/etcd.ts"),
  },
  ...parts.map(({ name, summary, load }) => ({
    name,
    group: "components" as const,
    summary,
    load,
  })),
  {
    name: "store",
    group: "components",
    summary: "save, restore or check the store of an API server",
    load: () => import("#/storage/run.ts"),
  },
  {
    name: "completion",
    group: "use",
    summary: "print a script that completes commands in a shell",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "test",
    group: "develop",
    summary: "check types, style and layers, and run the tests",
    load: () => import("../../tools/test.ts"),
  },
  { name: "prepare", summary: "", load: () => import("./commands/prepare.ts") },
  { name: "server", summary: "", load: () => import("./programs/server.ts") },
  { name: "agent", summary: "", load: () => import("./programs/agent.ts") },
];

/** A command of kubectl that upstream does not have. */
async function kubectl(name: string): ReturnType<Command["load"]> {
  const { main } = await import("#/kubectl/run.ts");
  return { main: (args) => main([name, ...args]) };
}

/** Runs one k8ts command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader that closes the pipe early, such as head, is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const [name, ...rest] = args;
  if (name === "--version" || name === "version") {
    process.stdout.write(`k8ts ${ownVersion()} (Kubernetes ${kubernetesVersion})\n`);
    return 0;
  }
  if (name === "__complete") {
    const { complete } = await import("./commands/completion.ts");
    return await complete(commands, rest);
  }
  if (name === undefined || isHelp(name)) return await help(rest);
  return await runCommand(name, rest);
}

const isHelp = (word: string): boolean => ["help", "--help", "-h"].includes(word);

/** `k8ts help COMMAND` is `k8ts COMMAND --help`. */
async function help([name, ...rest]: readonly string[]): Promise<number> {
  if (name !== undefined) return await runCommand(name, [...rest, "--help"]);
  process.stdout.write(overview(commands));
  return 0;
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return (await command.load()).main(args);
  const [near] = nearCommands(name, commands);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  process.stderr.write(`k8ts: unknown command "${name}"${hint}\nSee: ${ownCommand("help")}\n`);
  return 1;
}
