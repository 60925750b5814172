import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "#/std/clock.ts";
import { cgroupName } from "./kubelet-config.ts";
import type { ClusterPaths } from "./paths.ts";
import type { ClusterSettings } from "./settings.ts";

const run = promisify(execFile);

/** Ends the shims that a stopped containerd has left, which hold the node's containers. */
export async function killShims(paths: ClusterPaths): Promise<void> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const isShim = command.includes("containerd-shim") && command.includes(paths.containerdSocket);
    if (isShim) process.kill(Number(pid), "SIGKILL");
  }
}

/** Unmounts all that is mounted below a cluster's folder, the innermost first. */
export async function unmountAll(paths: ClusterPaths): Promise<void> {
  const mounts = await readFile("/proc/mounts", "utf8");
  const below = mounts
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${paths.folder}/`))
    .sort((a, b) => b.length - a.length);
  for (const path of below) await run("umount", ["-l", path]).catch(() => undefined);
}

/** Removes the node's cgroups, once the processes in them are gone. */
export async function removeCgroups(settings: ClusterSettings): Promise<void> {
  const name = cgroupName(settings.name, settings.nodeName);
  const roots = existsSync("/sys/fs/cgroup/cgroup.controllers")
    ? ["/sys/fs/cgroup"]
    : (await readdir("/sys/fs/cgroup")).map((controller) => join("/sys/fs/cgroup", controller));
  for (const root of roots) {
    for (let tries = 0; tries < 20 && !(await removeTree(join(root, name))); tries++) {
      await systemClock.sleep(50);
    }
  }
}

/** A cgroup's folder can be removed when it has no folders and no processes; its files don't count. */
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
