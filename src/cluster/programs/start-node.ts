import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ensureFolder, traverseOnly } from "../base/write-file.ts";
import { ensurePauseImage, prepareContainerd } from "../machine/containerd.ts";
import { registerCluster } from "../machine/host-changes.ts";
import { ensureNamespace, planNamespace } from "../machine/network-namespace.ts";
import { ensureCgroup, nodeCgroup } from "../machine/node-cgroup.ts";
import {
  findCniPlugins,
  finishInterruptedInstall,
  installPackages,
  missingPackages,
} from "../machine/packages.ts";
import { kubeletDropIns } from "../parts/kubelet-config.ts";
import { setStopping } from "../supervision/processes.ts";
import { programs } from "../supervision/programs.ts";
import { eventually } from "../supervision/readiness.ts";
import { isUpToDate } from "../supervision/started-with.ts";
import { type Program, type Supervisor, supervisorOf } from "../supervision/supervisor.ts";

/** Timeout (ms) of the start of containerd. */
const runtimeMs = 30_000;

/** Installs missing packages, and sets up the cluster's own network namespace if it shares the machine. */
export async function prepareMachine(
  progress: Progress,
  settings: ClusterSettings,
  noInstall: boolean,
): Promise<void> {
  const missing = missingPackages(settings.runtimeEndpoint === undefined);
  if (missing.length > 0 && noInstall) {
    throw new CommandFailure(
      `these packages are missing: ${missing.join(" ")}; install them, or leave out --no-install`,
    );
  }
  if (missing.length > 0) {
    await progress.step(`installing ${missing.join(", ")} with apt-get`, () =>
      installPackages(missing),
    );
  } else {
    await finishInterruptedInstall();
  }
  await registerCluster(settings.name);
  if (settings.networkNamespace) await ensureNamespace(planNamespace(settings.name));
}

/** Creates the folders and files of a node, of a server or joined. */
export async function writeNodeFiles(paths: ClusterPaths, settings: ClusterSettings) {
  for (const folder of [paths.folder, paths.run]) await ensureFolder(folder, traverseOnly);
  for (const folder of [
    paths.access,
    paths.config,
    paths.log,
    paths.kubelet,
    join(paths.config, "static-pods"),
    kubeletDropIns(paths),
  ]) {
    await ensureFolder(folder);
  }
  await ensureCgroup(nodeCgroup(settings));
  if (!settings.runtimeEndpoint) await writeRuntimeFiles(paths, settings);
}

async function writeRuntimeFiles(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const cniPlugins = findCniPlugins();
  if (!cniPlugins) throw new CommandFailure("the CNI plugins are missing");
  const systemdCgroup = nodeCgroup(settings).driver === "systemd";
  await prepareContainerd({ paths, cniPlugins, systemdCgroup });
}

/** The action for a program. */
type Action = "start" | "restart" | "keep";

/**
 * Starts programs that don't run, and restarts those that were started with other settings or by another version; the server
 * first, as it takes longest. Returns the time at which the agent was started, or 0.
 */
export async function startPrograms(
  paths: ClusterPaths,
  settings: ClusterSettings,
  progress: Progress,
): Promise<number> {
  const supervisor = supervisorOf(paths, settings.name);
  await setStopping(paths, false);
  const all = programs(paths, settings);
  await supervisor.install(all);
  // All are checked before the first is started, as some supervisors start them together.
  const planned: [Program, Action][] = [];
  for (const program of all) {
    planned.push([program, await planAction(supervisor, program, paths, settings)]);
  }
  if (planned.every(([, action]) => action === "keep")) {
    progress.print(`  cluster ${settings.name} is running already`);
  }
  let agentStart = 0;
  for (const [program, action] of planned) {
    if (program.name === "agent" && action !== "keep") agentStart = systemClock.now();
    if (action === "start") await supervisor.start(program);
    if (action === "restart") {
      progress.print(`  ↻ restarting the ${program.name}, as its settings have changed`);
      await supervisor.restart(program);
    }
    if (program.name === "containerd") await runtimeReady(paths, settings);
  }
  return agentStart;
}

async function planAction(
  supervisor: Supervisor,
  { name }: Program,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<Action> {
  const { pid } = await supervisor.state(name);
  if (pid === undefined) return "start";
  return (await isUpToDate(name, paths, settings)) ? "keep" : "restart";
}

/** Starts the node's own containerd, unless it runs, and waits until it responds. */
export async function startRuntime(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const program = programs(paths, settings).find(({ name }) => name === "containerd");
  if (!program) return;
  await writeRuntimeFiles(paths, settings);
  await supervisorOf(paths, settings.name).start(program);
  await runtimeReady(paths, settings);
}

async function runtimeReady(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const wait = { paths, settings, what: "containerd", program: "containerd" };
  await eventually({ ...wait, timeoutMs: runtimeMs }, async () => {
    if (!existsSync(paths.containerdSocket)) return false;
    return await ensurePauseImage(paths, paths.containerdSocket).then(
      () => true,
      () => false,
    );
  });
}
