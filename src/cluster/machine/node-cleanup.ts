import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { mountRoots } from "./kubelet-folder.ts";
import { nodeCgroup } from "./node-cgroup.ts";

const run = promisify(execFile);

/** Ends the monitors of a stopped runtime, which hold the node's containers: programs whose names begin as given. */
export async function killMonitors(paths: ClusterPaths, names: readonly string[]): Promise<void> {
  for (const pid of await monitorsOf(paths, names)) killIfThere(pid);
}

export const hasMonitors = async (
  paths: ClusterPaths,
  names: readonly string[],
): Promise<boolean> => (await monitorsOf(paths, names)).length > 0;

/** Monitors have a path in the node's folder of sockets among their arguments. */
async function monitorsOf(paths: ClusterPaths, names: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const [program = ""] = command.split("\0");
    const isMonitor = names.some((name) => basename(program).startsWith(name));
    if (isMonitor && command.includes(`${paths.run}/`)) found.push(Number(pid));
  }
  return found;
}

/** Folders that CNI and the kubelet create for all nodes of a machine, the innermost first. */
const sharedFolders = [
  "/var/lib/cni/results",
  "/var/lib/cni/cache/results",
  "/var/lib/cni/cache",
  "/var/lib/cni",
  "/var/log/containers",
  "/run/containerd/runc/k8s.io",
  "/run/containerd/runc",
  "/run/containerd/s",
  "/run/containerd",
  "/run/docker/plugins",
  "/run/docker",
  "/run/netns",
];

/** Removes shared folders if they are empty. */
export async function removeEmptyFolders(): Promise<void> {
  for (const folder of sharedFolders) await rmdir(folder).catch(() => undefined);
}

/** Unmounts everything of a cluster in this mount namespace, the innermost first. */
export async function unmountAll(paths: ClusterPaths): Promise<void> {
  const mounts = await readFile("/proc/mounts", "utf8");
  const roots = mountRoots(paths);
  const below = mounts
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => roots.some((root) => path.startsWith(`${root}/`)))
    .sort((a, b) => b.length - a.length);
  for (const path of below) await run("umount", ["-l", path]).catch(() => undefined);
}

/** Ends processes in the node's cgroups: a container that was being created when its shim ended has no shim. */
export async function killStrays(settings: ClusterSettings): Promise<void> {
  for (const cgroup of await nodeCgroups(settings)) {
    const folders = await readdir(cgroup, { recursive: true }).catch(() => []);
    for (const file of folders.filter((path) => basename(path) === "cgroup.procs")) {
      const pids = await readFile(join(cgroup, file), "utf8").catch(() => "");
      for (const pid of pids.split("\n").filter(Boolean)) killIfThere(Number(pid));
    }
  }
}

/** Removes the node's cgroups, after their processes have ended. */
export async function removeCgroups(settings: ClusterSettings): Promise<void> {
  for (const cgroup of await nodeCgroups(settings)) {
    for (let tries = 0; tries < 20 && !(await removeTree(cgroup)); tries++) {
      await systemClock.sleep(50);
    }
  }
}

/** One folder, or with cgroup v1 one for each controller. */
async function nodeCgroups(settings: ClusterSettings): Promise<string[]> {
  const { folder } = nodeCgroup(settings);
  const roots = existsSync("/sys/fs/cgroup/cgroup.controllers")
    ? ["/sys/fs/cgroup"]
    : (await readdir("/sys/fs/cgroup")).map((controller) => join("/sys/fs/cgroup", controller));
  return roots.map((root) => join(root, folder)).filter((cgroup) => existsSync(cgroup));
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The folder of a cgroup can be removed when it has no child folders and no processes; its files don't matter. */
async function removeTree(path: string): Promise<boolean> {
  if (!existsSync(path)) return true;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(join(path, entry.name));
  }
  return await rmdir(path).then(
    () => true,
    () => false,
  );
}
