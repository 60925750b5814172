import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterSettings } from "../base/settings.ts";
import { podSlice, sliceRoot } from "./slices.ts";
import { hasSystemdCgroups } from "./systemd.ts";

const root = "/sys/fs/cgroup";

/** The cgroup under which a node has its pods: its own, so that nodes on one machine don't meet. */
export interface NodeCgroup {
  readonly driver: "cgroupfs" | "systemd";
  /** The kubelet's cgroupRoot. */
  readonly root: string;
  /** Where this cgroup is in each hierarchy, if it is for this node only. */
  readonly folder: string;
}

/** Where systemd runs the machine it manages all cgroups, so that no other program writes to them. */
export function nodeCgroup(
  { name, nodeName, runtimeEndpoint }: ClusterSettings,
  hasSystemd = hasSystemdCgroups(),
): NodeCgroup {
  // The driver of a runtime that isn't ours is not known; cgroupfs is what containerd has by default.
  if (hasSystemd && runtimeEndpoint === undefined) {
    return { driver: "systemd", root: sliceRoot(name), folder: `${podSlice(name)}.slice` };
  }
  const folder = `${name}-${nodeName}`;
  return { driver: "cgroupfs", root: `/${folder}`, folder };
}

/** Makes a node's cgroup in every hierarchy that the kernel has; systemd makes its own. */
export async function ensureCgroup({ driver, folder: name }: NodeCgroup): Promise<void> {
  if (driver === "systemd") return;
  const isUnified = existsSync(join(root, "cgroup.controllers"));
  const hierarchies = isUnified ? [root] : (await readdir(root)).map((one) => join(root, one));
  for (const hierarchy of hierarchies) {
    if (!isUnified && !existsSync(join(hierarchy, "tasks"))) continue;
    await mkdir(join(hierarchy, name), { recursive: true });
    // A new cpuset of the first version has no processors and no memory, and takes no process.
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      const [from, to] = [join(hierarchy, file), join(hierarchy, name, file)];
      if (isUnified || !existsSync(to)) continue;
      if ((await readFile(to, "utf8")).trim() === "") await writeFile(to, await readFile(from));
    }
  }
  if (isUnified) await delegateControllers(name);
}

/** In the unified hierarchy a cgroup has the controllers that its parent hands down. */
async function delegateControllers(name: string): Promise<void> {
  const available = (await readFile(join(root, "cgroup.controllers"), "utf8")).trim().split(" ");
  const all = available.map((controller) => `+${controller}`).join(" ");
  for (const cgroup of [root, join(root, name)]) {
    await writeFile(join(cgroup, "cgroup.subtree_control"), all);
  }
}
