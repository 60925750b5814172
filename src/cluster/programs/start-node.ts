import { connect } from "node:net";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ensureFolder, traverseOnly } from "../base/write-file.ts";
import { missingEtcdPackages, writeMemberFiles } from "../etcd/write-member-files.ts";
import { registerCluster, registerFolder } from "../machine/host-changes.ts";
import { ensureKubeletFolder, isInMounts } from "../machine/kubelet-folder.ts";
import { ensureNamespace, namespaceOf } from "../machine/network-namespace.ts";
import { ensureCgroup, nodeCgroup } from "../machine/node-cgroup.ts";
import { finishInterruptedInstall, installPackages, missingPackages } from "../machine/packages.ts";
import { kubeletDropIns } from "../parts/kubelet-config.ts";
import { adoptRelease } from "../release/adopt-release.ts";
import { ensurePauseImage } from "../runtimes/ensure-pause-image.ts";
import { ownRuntime, writeRuntimeFiles } from "../runtimes/own-runtime.ts";
import type { RuntimeProgram } from "../runtimes/runtime.ts";
import { missingRuntimePackages } from "../runtimes/runtime-problems.ts";
import { imagesOf } from "../runtimes/user-runtime.ts";
import { setStopping } from "../supervision/processes.ts";
import { programs } from "../supervision/programs.ts";
import { eventually } from "../supervision/readiness.ts";
import { isUpToDate } from "../supervision/started-with.ts";
import { type Program, type Supervisor, supervisorOf } from "../supervision/supervisor.ts";

/** Timeout (ms) of the start of a program of the runtime. */
const runtimeMs = 30_000;

/** Installs missing packages, and sets up the cluster's own network namespace if it shares the machine. */
export async function prepareMachine(
  progress: Progress,
  settings: ClusterSettings,
  noInstall: boolean,
): Promise<void> {
  await installMissing(progress, settings, noInstall);
  await registerCluster(settings.name);
  if (settings.networkNamespace) await ensureNamespace(namespaceOf(settings));
}

/** Installs the packages that a node and its runtime lack. */
export async function installMissing(
  progress: Progress,
  settings: ClusterSettings,
  noInstall: boolean,
): Promise<void> {
  const missing = [
    ...missingRuntimePackages(settings),
    ...missingPackages(settings.proxyMode),
    ...(settings.role === "server" ? missingEtcdPackages(settings) : []),
  ];
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
}

/** Creates the folders and files of a node, of a server or joined. */
export async function writeNodeFiles(paths: ClusterPaths, settings: ClusterSettings) {
  for (const folder of [paths.folder, paths.run]) await ensureFolder(folder, traverseOnly);
  await adoptRelease(paths);
  await registerFolder(settings.name, paths.folder);
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
  await ensureKubeletFolder(paths, settings);
  await ensureCgroup(nodeCgroup(settings));
  await writeRuntimeFiles(paths, settings);
  if (settings.role === "server") await writeMemberFiles(paths, settings);
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
    await runtimeReady(paths, settings, program.name);
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
  if (!(await isInMounts(pid, settings))) return "restart";
  return (await isUpToDate(name, paths, settings)) ? "keep" : "restart";
}

/** Starts the node's own runtime, unless it runs, and waits until it responds. */
export async function startRuntime(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const ofRuntime = (ownRuntime(settings)?.programs ?? []).map(({ name }) => name);
  const wanted = programs(paths, settings).filter(({ name }) => ofRuntime.includes(name));
  if (wanted.length === 0) return;
  await ensureKubeletFolder(paths, settings);
  await writeRuntimeFiles(paths, settings);
  const supervisor = supervisorOf(paths, settings.name);
  for (const program of wanted) {
    await supervisor.start(program);
    await runtimeReady(paths, settings, program.name);
  }
}

/** Waits until a program of the runtime listens; until the pause image is there if it is the last one. */
async function runtimeReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  name: string,
): Promise<void> {
  const all = ownRuntime(settings)?.programs ?? [];
  const program = all.find((one) => one.name === name);
  if (!program) return;
  const wait = { paths, settings, what: name, program: name, timeoutMs: runtimeMs };
  await eventually(wait, () => listens(program, paths));
  if (program !== all.at(-1)) return;
  const images = await imagesOf(paths, settings);
  let last: unknown;
  const hasImage = async (): Promise<boolean> =>
    await ensurePauseImage(paths, images).then(
      () => true,
      (error: unknown) => {
        last = error;
        return false;
      },
    );
  await eventually({ ...wait, what: `the pause image of ${name}` }, hasImage).catch((error) => {
    throw last instanceof Error ? new CommandFailure(`${error.message}\n  ${last.message}`) : error;
  });
}

/** True if a connection to the program's socket can be opened. */
function listens(program: RuntimeProgram, paths: ClusterPaths): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(program.socket(paths));
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
