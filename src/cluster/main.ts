import { readFileSync } from "node:fs";

/** One subcommand of k8ts. Its module is loaded only when it is called, so that --version stays fast. */
interface Command {
  readonly name: string;
  /** Empty for what only k8ts itself calls. */
  readonly summary: string;
  readonly load: () => Promise<{ main(args: readonly string[]): Promise<number> }>;
}

const commands: readonly Command[] = [
  { name: "up", summary: "start the cluster of this machine", load: () => import("./up.ts") },
  { name: "down", summary: "stop it; --purge removes it", load: () => import("./down.ts") },
  { name: "status", summary: "show what runs of it", load: () => import("./status.ts") },
  { name: "logs", summary: "show what a component wrote", load: () => import("./logs.ts") },
  { name: "image", summary: "load images from files", load: () => import("./image.ts") },
  { name: "token", summary: "let other machines join", load: () => import("./token.ts") },
  {
    name: "join",
    summary: "make this machine a node of another's cluster",
    load: () => import("./join.ts"),
  },
  { name: "server", summary: "", load: () => import("./server.ts") },
  { name: "agent", summary: "", load: () => import("./agent.ts") },
  {
    name: "kubectl",
    summary: "talk to a cluster, with upstream's commands",
    load: () => import("#/kubectl/run.ts"),
  },
  {
    name: "kube-apiserver",
    summary: "run the API server, with upstream's flags",
    load: () => import("#/apiserver/run.ts"),
  },
  {
    name: "kube-controller-manager",
    summary: "run the controllers, with upstream's flags",
    load: () => import("#/controllers/run.ts"),
  },
  {
    name: "kube-scheduler",
    summary: "run the scheduler, with upstream's flags",
    load: () => import("#/scheduler/run.ts"),
  },
  {
    name: "kubelet",
    summary: "run a node's pods, with upstream's flags",
    load: () => import("#/kubelet/run.ts"),
  },
  {
    name: "kube-proxy",
    summary: "route services, with upstream's flags",
    load: () => import("#/proxy/run.ts"),
  },
  {
    name: "cluster-dns",
    summary: "answer for the cluster's names",
    load: () => import("#/dns/run.ts"),
  },
  {
    name: "network",
    summary: "connect a node's pods with those of others",
    load: () => import("#/network/run.ts"),
  },
  {
    name: "snapshot",
    summary: "save, restore or inspect a snapshot of a store",
    load: () => import("#/storage/run.ts"),
  },
  {
    name: "test",
    summary: "check types, style and layers, and run all tests",
    load: () => import("../../tools/test.ts"),
  },
];

/** Runs one k8ts command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "version") {
    process.stdout.write(`k8ts ${ownVersion()} (Kubernetes v1.37)\n`);
    return 0;
  }
  if (name === undefined || name === "--help" || name === "help") {
    process.stdout.write(usage());
    return name === undefined ? 1 : 0;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) {
    process.stderr.write(`k8ts: unknown command "${name}"\n\n${usage()}`);
    return 1;
  }
  return (await command.load()).main(rest);
}

function ownVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

function usage(): string {
  const shown = commands.filter(({ summary }) => summary !== "");
  const rows = shown.map(({ name, summary }) => `  ${name.padEnd(26)}${summary}\n`);
  return `Kubernetes in one command.\n\nUsage: k8ts COMMAND [flags]\n\nCommands:\n${rows.join("")}`;
}
