import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterSettings } from "../base/settings.ts";
import { podSlice, sliceRoot } from "./slices.ts";
import { hasSystemdCgroups } from "./systemd.ts";

const root = "/sys/fs/cgroup";

/** The parent cgroup of a node's Pods: its own, so that nodes on one machine don't conflict. */
export interface NodeCgroup {
  readonly driver: "cgroupfs" | "systemd";
  /** The kubelet's cgroupRoot. */
  readonly root: string;
  /** The path of this cgroup in each hierarchy, if it is for this node only. */
  readonly folder: string;
}

/** On a machine with systemd, systemd manages all cgroups: no other program writes to them. */
export function nodeCgroup(
  { name, nodeName, runtimeEndpoint, runtimeCgroupDriver }: ClusterSettings,
  hasSystemd = hasSystemdCgroups(),
): NodeCgroup {
  // A user's runtime that does not report its driver is an old containerd, whose default is cgroupfs.
  if (hasSystemd && (runtimeEndpoint === undefined || runtimeCgroupDriver === "systemd")) {
    return { driver: "systemd", root: sliceRoot(name), folder: `${podSlice(name)}.slice` };
  }
  const folder = `${name}-${nodeName}`;
  return { driver: "cgroupfs", root: `/${folder}`, folder };
}

/** Creates a node's cgroup in every hierarchy of the kernel; systemd creates its own. */
export async function ensureCgroup({ driver, folder: name }: NodeCgroup): Promise<void> {
  if (driver === "systemd") return;
  const isUnified = existsSync(join(root, "cgroup.controllers"));
  const hierarchies = isUnified ? [root] : (await readdir(root)).map((one) => join(root, one));
  for (const hierarchy of hierarchies) {
    if (!isUnified && !existsSync(join(hierarchy, "tasks"))) continue;
    await mkdir(join(hierarchy, name), { recursive: true });
    // A new cpuset of cgroup v1 has no CPUs and no memory nodes, and accepts no process.
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      const [from, to] = [join(hierarchy, file), join(hierarchy, name, file)];
      if (isUnified || !existsSync(to)) continue;
      if ((await readFile(to, "utf8")).trim() === "") await writeFile(to, await readFile(from));
    }
  }
  if (isUnified) await delegateControllers(name);
}

/** Whether a controller is mounted, in a hierarchy of its own or in the unified one. */
export async function hasController(name: string): Promise<boolean> {
  const unified = await readFile(join(root, "cgroup.controllers"), "utf8").catch(() => "");
  return unified.trim().split(" ").includes(name) || existsSync(join(root, name));
}

/** In the unified hierarchy a cgroup has only the controllers that its parent enables for children. */
async function delegateControllers(name: string): Promise<void> {
  const available = (await readFile(join(root, "cgroup.controllers"), "utf8")).trim().split(" ");
  const all = available.map((controller) => `+${controller}`).join(" ");
  for (const cgroup of [root, join(root, name)]) {
    await writeFile(join(cgroup, "cgroup.subtree_control"), all);
  }
}
