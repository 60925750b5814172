import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const root = "/sys/fs/cgroup";

/** Makes the cgroup under which a node has its pods, in every hierarchy that the kernel has. */
export async function ensureCgroup(name: string): Promise<void> {
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
