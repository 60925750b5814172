import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { kubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { textTable } from "../command-line/text-table.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { checkTimeout } from "../plan/settings-problems.ts";
import { clusterFlags, ownRuntimeFlags, upFlags } from "../plan/up-flags.ts";
import { runtimeSettings } from "../plan/up-settings.ts";
import { reportReach } from "../reports/report-reach.ts";
import { checkRunning } from "../supervision/check-running.ts";
import { takeDown } from "./down.ts";
import { addLocalNode } from "./start-local-nodes.ts";

const nodeFlags = {
  ...clusterFlags,
  ...ownRuntimeFlags,
  "no-install": upFlags["no-install"],
  timeout: {
    type: "duration",
    default: 120_000,
    help: "How long to wait for a node to become ready, or for its Pods to leave.",
  },
} as const;

type NodeFlags = FlagValues<typeof nodeFlags>;

/** `k8ts node add|remove|ls`: nodes of a cluster on the machine of its server. */
export const main = command({
  name: "node",
  startsPrograms: true,
  description: `Manages the nodes that a cluster has on this machine besides the first.

  add [NAME]    adds a node, with a network namespace and a container runtime
                of its own
  remove NAME   moves its Pods to other nodes, then removes it with its data
  ls            lists them

To make another machine a node, use k8ts token create and k8ts join.`,
  arguments: ["add|remove|ls", "[NAME]"],
  examples: [
    ["Add a node", "node add"],
    ["Add a node with another container runtime", "node add --runtime crio"],
    ["Remove a node", "node remove vm-2"],
  ],
  whenInterrupted: () => "run the same command again to go on",
  flags: nodeFlags,
  async run({ values, changed, args: [verb = "", name = ""] }) {
    const paths = pathsOf(values);
    checkTimeout(values.timeout);
    const settings = getSettings(paths);
    if (settings.role !== "server") {
      throw new CommandFailure("nodes are added on the machine of the server");
    }
    await using _lock = isChange(verb)
      ? await ownCluster(settings.name, `node ${verb}`)
      : undefined;
    if (isChange(verb)) await checkRunning(paths, settings, "server");
    if (verb === "add") await add(paths, withRuntime(settings, values, changed), name, values);
    else if (verb === "remove" || verb === "rm") return await remove(paths, settings, name, values);
    else if (verb === "ls" || verb === "list") list(paths);
    else throw new FlagError(`unknown subcommand "${verb}": add, remove or ls`);
    return 0;
  },
});

/** True if a subcommand changes the cluster. */
const isChange = (verb: string): boolean => ["add", "remove", "rm"].includes(verb);

/** The settings of the server's node with another runtime, if flags name one. */
function withRuntime(
  server: ClusterSettings,
  flags: NodeFlags,
  changed: ReadonlySet<string>,
): ClusterSettings {
  const isGiven = Object.keys(ownRuntimeFlags).some((name) => changed.has(name));
  const given = { ...flags, "container-runtime-endpoint": "" };
  return isGiven ? { ...server, ...runtimeSettings(given) } : server;
}

async function add(
  paths: ClusterPaths,
  settings: ClusterSettings,
  name: string,
  { timeout: timeoutMs, "no-install": noInstall }: NodeFlags,
): Promise<void> {
  const progress = new Progress();
  const options = { progress, timeoutMs, noInstall };
  const { settings: added } = await addLocalNode(paths, settings, name, options);
  progress.print(`\nNode "${added.nodeName}" is Ready.`);
  await reportReach(progress, paths, settings);
}

/** Drains the node first. If that fails, the reason is printed and nothing is removed. */
async function remove(
  paths: ClusterPaths,
  settings: ClusterSettings,
  name: string,
  { timeout }: NodeFlags,
): Promise<number> {
  if (name === "") throw new FlagError("NAME is missing");
  const all = localNodes(paths);
  const node = all.find((candidate) => candidate.settings.nodeName === name);
  if (!node) {
    const known = all.map((one) => one.settings.nodeName).join(", ") || "none";
    throw new CommandFailure(
      `"${name}" is no node that can be removed here; there are: ${known} (the first node goes with the cluster)`,
    );
  }
  const progress = new Progress();
  await progress.step(`moving the Pods of ${name}`, async () => {
    const options = ["--ignore-daemonsets", "--delete-emptydir-data", "--force"];
    const limit = `--timeout=${timeout / 1000}s`;
    const { code, err } = await kubectl(paths, ["drain", name, ...options, limit]);
    if (code !== 0 && !/ not found/.test(err)) throw new CommandFailure(err.trim());
  });
  const { code } = await kubectl(paths, ["delete", "node", name, "--ignore-not-found"]);
  if (code !== 0) throw new CommandFailure(`the API server of ${settings.name} does not answer`);
  return await takeDown(node.paths, node.settings, { purge: true });
}

function list(paths: ClusterPaths): void {
  const rows = localNodes(paths).map(({ settings, paths: own }) => [
    settings.nodeName,
    settings.nodeIp,
    settings.networkNamespace ?? "",
    own.folder,
  ]);
  process.stdout.write(textTable([["NAME", "ADDRESS", "NETWORK NAMESPACE", "FOLDER"], ...rows]));
}
