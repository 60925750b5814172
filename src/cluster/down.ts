import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { runProgram } from "#/std/run-program.ts";
import { bootUnitOf, removeBootUnit } from "./boot-unit.ts";
import { command, pathsOf } from "./command.ts";
import { leaveCluster } from "./leave-cluster.ts";
import { namespaceFile, planNamespace, removeNamespace } from "./network-namespace.ts";
import { killShims, killStrays, removeCgroups, unmountAll } from "./node-cleanup.ts";
import type { ClusterPaths } from "./paths.ts";
import { findProcess, knownProcesses, setStopping, stopProcess } from "./processes.ts";
import { inNamespaceOf, launcher } from "./programs.ts";
import { Progress } from "./progress.ts";
import { type ClusterSettings, findSettings } from "./settings.ts";
import { startRuntime } from "./start-node.ts";
import { clusterFlags } from "./up-flags.ts";
import { removeUserAccess } from "./user-access.ts";

const downFlags = {
  ...clusterFlags,
  "keep-enabled": { type: "bool", help: "Let it start again with the machine." },
  purge: { type: "bool", help: "Also delete all that the cluster has stored: nothing is left." },
} as const;

/** `k8ts down`: stops the cluster of this machine, and its containers. */
export const main = command({
  name: "down",
  description: `Stops a cluster of this machine with its containers. Its data stay, and \`k8ts up\` starts it
again; with --purge they are deleted.`,
  examples: [
    ["Stop the cluster", "down"],
    ["Remove the cluster test, with all that it has stored", "down --name test --purge"],
  ],
  flags: downFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const settings = findSettings(paths);
    if (!settings) {
      process.stderr.write(`k8ts: there is no cluster in ${paths.folder}\n`);
      return 0;
    }
    const progress = new Progress();
    await setStopping(paths, true);
    if (!values["keep-enabled"]) await removeBootUnit(bootUnitOf(paths, settings));
    const advice = await progress.step("stopping the node", () => stopNode(paths, settings));
    await progress.step("stopping the rest", () => stopRest(paths, settings));
    if (values.purge) await progress.step("removing all data", () => purge(paths, settings));
    if (values.purge && advice) progress.say(advice);
    return 0;
  },
});

/** The agent first, so that nobody starts again what is stopped next; then pods, and what they leave in the kernel. */
async function stopNode(paths: ClusterPaths, settings: ClusterSettings) {
  await stopProcess(paths, "agent");
  const advice = await leaveCluster(paths, settings);
  if (!(await hasRuntime(paths, settings))) return advice;
  const command = inNamespaceOf(settings, [launcher, "agent", paths.folder, "--cleanup"]);
  await runProgram(command[0] ?? "", command.slice(1));
  return advice;
}

/** Only the runtime knows what its pods have in the kernel: one that was killed is started once more. */
async function hasRuntime(paths: ClusterPaths, settings: ClusterSettings): Promise<boolean> {
  const { runtimeEndpoint, networkNamespace } = settings;
  if (runtimeEndpoint || findProcess(paths, "containerd") !== undefined) return true;
  const wasKilled = knownProcesses(paths).includes("containerd");
  // Nothing of them is left after a restart of the machine.
  if (!wasKilled || (networkNamespace && !existsSync(namespaceFile(networkNamespace))))
    return false;
  try {
    await startRuntime(paths, settings);
    return true;
  } catch (error) {
    const why = (error as Error).message;
    process.stderr.write(`k8ts: what pods have left behind can't be removed: ${why}\n`);
    return false;
  }
}

async function stopRest(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  for (const name of knownProcesses(paths)) await stopProcess(paths, name);
  await killShims(paths);
  await killStrays(settings);
}

async function purge(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await unmountAll(paths);
  await removeCgroups(settings);
  if (settings.networkNamespace) await removeNamespace(planNamespace(settings.name));
  await removeUserAccess(settings);
  const { collectLogs } = await import("#/kubelet/run.ts");
  await collectLogs({ podLogs: paths.podLogs, mayRemoveContent: () => true });
  await rm(paths.folder, { recursive: true, force: true });
}
