import { kubectl, mustKubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { peerUrl } from "../etcd/member-launch.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { healthyOf, openMembers, readMembers } from "../servers/member-report.ts";
import { planLeave } from "../servers/plan-leave.ts";
import { checkRunning } from "../supervision/check-running.ts";
import { takeDown } from "./down.ts";

const leaveFlags = {
  ...clusterFlags,
  timeout: {
    type: "duration",
    default: 120_000,
    help: "How long to wait for the Pods of this machine to leave.",
  },
} as const;

/** `k8ts leave [NAME]`: takes a machine out of its cluster for good. */
export const main = command({
  name: "leave",
  description: `Takes this machine out of its cluster for good: its Pods move to other nodes, its Node and, of a server, its
member of etcd are removed, then all its data. With NAME, run on a server, it removes what is left of another machine
that is gone: it must not run any more.`,
  arguments: ["[NAME]"],
  examples: [
    ["Take this machine out of its cluster", "leave"],
    ["Remove the server vm-3, whose machine is broken", "leave vm-3"],
  ],
  whenInterrupted: (cluster) => `to continue: ${ownCommand("leave", cluster)}`,
  flags: leaveFlags,
  async run({ values, args: [name] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    await using _lock = await ownCluster(values.name, "leave");
    const progress = new Progress();
    if (name !== undefined && name !== settings.nodeName) {
      await removeOther(progress, paths, settings, name);
      return 0;
    }
    return await leave(progress, paths, settings, values.timeout);
  },
});

/** Everything is checked before anything is changed. */
async function leave(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<number> {
  if (localNodes(paths).length > 0) {
    throw new CommandFailure(
      `this machine has more nodes of the cluster; remove them first: ${ownCommand("node ls", settings.name)}`,
    );
  }
  if (settings.role === "server") {
    await checkRunning(paths, settings, "server");
    await mayLeave(paths, settings);
    await progress.step(`moving the Pods of ${settings.nodeName}`, () =>
      drain(paths, settings.nodeName, timeoutMs),
    );
  }
  return await takeDown(paths, settings, { purge: true });
}

async function mayLeave(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const whole = `to remove the cluster with all its data: ${ownCommand("down --purge", settings.name)}`;
  if (!hasOwnMember(settings)) {
    if (settings.etcd) return;
    throw new CommandFailure(`this is the only server of its cluster; ${whole}`);
  }
  using members = openMembers(paths, settings);
  const reports = await readMembers(members);
  const plan = planLeave({
    members: reports.map(({ member }) => member),
    healthy: healthyOf(reports),
    leaving: ({ peerUrls }) => peerUrls.includes(peerUrl(settings.nodeIp)),
    isOwn: true,
  });
  if (plan.do === "refuse") throw new CommandFailure(`${plan.reason}; ${whole}`);
}

async function drain(paths: ClusterPaths, node: string, timeoutMs: number): Promise<void> {
  const options = ["--ignore-daemonsets", "--delete-emptydir-data", "--force"];
  const limit = `--timeout=${timeoutMs / 1000}s`;
  const { code, err } = await kubectl(paths, ["drain", node, ...options, limit]);
  if (code !== 0 && !/ not found/.test(err)) throw new CommandFailure(err.trim());
}

/** Removes what a machine that is gone has left: its member of etcd, then its Node. */
async function removeOther(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  name: string,
): Promise<void> {
  if (settings.role !== "server") {
    throw new CommandFailure("other machines are removed on the machine of a server");
  }
  await checkRunning(paths, settings, "server");
  const wasMember = hasOwnMember(settings) && (await removeMember(progress, paths, settings, name));
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  const args = ["get", "node", name, "--ignore-not-found", `-o=jsonpath={.metadata.name} ${ready}`];
  const [found = "", isReady = ""] = (await mustKubectl(paths, args)).trim().split(" ");
  if (found === "" && !wasMember) {
    throw new CommandFailure(`the cluster has neither a server nor a node with the name ${name}`);
  }
  if (isReady === "True" && !wasMember) {
    throw new CommandFailure(`${name} runs: run \`${ownCommand("leave")}\` on its machine`);
  }
  if (found === "") return;
  await progress.step(`removing the node ${name}`, () =>
    mustKubectl(paths, ["delete", "node", name, "--ignore-not-found", "--wait=false"]),
  );
}

/** Returns whether there was a member with that name. */
async function removeMember(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  name: string,
): Promise<boolean> {
  using members = openMembers(paths, settings);
  const reports = await readMembers(members);
  const plan = planLeave({
    members: reports.map(({ member }) => member),
    healthy: healthyOf(reports),
    leaving: (member) => member.name === name,
    isOwn: false,
  });
  if (plan.do === "nothing") return false;
  if (plan.do === "refuse") throw new CommandFailure(plan.reason);
  await progress.step(`removing the member ${name} of etcd`, () => members.remove(plan.member));
  return true;
}
