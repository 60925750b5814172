import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/clock.ts";
import { writeIfChanged } from "./access-files.ts";
import { CommandFailure } from "./command.ts";
import { kubeletConfigFile } from "./component-flags.ts";
import { ensurePauseImage, prepareContainerd } from "./containerd.ts";
import { kubectl } from "./kubectl.ts";
import { cgroupName, kubeletConfig } from "./kubelet-config.ts";
import { ensureNamespace, planNamespace } from "./network-namespace.ts";
import { ensureCgroup } from "./node-cgroup.ts";
import { findCniPlugins, installPackages, missingPackages } from "./packages.ts";
import { accessFile, type ClusterPaths, defaultClusterName } from "./paths.ts";
import { findProcess, setStopping, supervise } from "./processes.ts";
import { programs } from "./programs.ts";
import type { Progress } from "./progress.ts";
import type { ClusterSettings } from "./settings.ts";

/** Between two looks at whether something is ready. */
const lookMs = 50;

/** The machine's name, and the cluster's too if the machine may have several. */
export function defaultNodeName(cluster: string): string {
  const host = hostname().toLowerCase();
  return cluster === defaultClusterName ? host : `${host}-${cluster}`;
}

/** Installs what is missing, and lays the cluster's own network if it shares the machine. */
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
  }
  if (settings.networkNamespace) await ensureNamespace(planNamespace(settings.name));
}

/** Folders and files of a node, whichever way it belongs to a cluster. */
export async function writeNodeFiles(paths: ClusterPaths, settings: ClusterSettings) {
  for (const folder of [paths.access, paths.config, paths.log, paths.run, paths.kubelet]) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  }
  await mkdir(join(paths.config, "static-pods"), { recursive: true });
  await ensureCgroup(cgroupName(settings.name, settings.nodeName));
  await writeIfChanged(kubeletConfigFile(paths), kubeletConfig(paths, settings), 0o644);
}

/** Starts what doesn't run yet; the server first, for it takes longest. */
export async function startPrograms(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await setStopping(paths, false);
  const all = programs(paths, settings);
  const start = (name: string): void => {
    const one = all.find((candidate) => candidate.name === name);
    if (one && findProcess(paths, name) === undefined) supervise(paths, one);
  };
  start("server");
  if (!settings.runtimeEndpoint) {
    const cniPlugins = findCniPlugins();
    if (!cniPlugins) throw new CommandFailure("the CNI plugins are missing");
    await prepareContainerd({ paths, cniPlugins });
    start("containerd");
    await eventually("containerd", 30_000, async () => existsSync(paths.containerdSocket));
    await eventually("containerd", 30_000, () =>
      ensurePauseImage(paths, paths.containerdSocket).then(
        () => true,
        () => false,
      ),
    );
  }
  start("agent");
}

/** Waits for the node to be Ready, as the API server tells its kubelet. */
export async function nodeReady(
  paths: ClusterPaths,
  { nodeName }: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  const access = `--kubeconfig=${accessFile(paths, "kubelet")}`;
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  await eventually(`node ${nodeName}`, timeoutMs, async () => {
    const args = [access, "get", "node", nodeName, `-o=jsonpath=${ready}`];
    return (await kubectl(paths, args)).out === "True";
  });
}

/** Looks again and again, for as long as it may take. */
export async function eventually(
  what: string,
  timeoutMs: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = systemClock.monotonicMs() + timeoutMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() > deadline) {
      throw new CommandFailure(
        `${what} did not become ready within ${timeoutMs / 1000} s; see: k8ts status, k8ts logs`,
      );
    }
    await systemClock.sleep(lookMs);
  }
}
