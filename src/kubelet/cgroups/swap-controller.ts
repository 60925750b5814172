/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go (checkSwapControllerAvailability). */
import { readFile } from "node:fs/promises";
import type { CgroupFilesystem } from "./cgroup-filesystem.ts";

/** Whether the kernel limits the swap of cgroups. */
export async function hasSwapController(
  filesystem: Pick<CgroupFilesystem, "version" | "read">,
  ownCgroups = "/proc/self/cgroup",
): Promise<boolean> {
  if (filesystem.version === 1) {
    return (await filesystem.read("/", "memory", "memory.memsw.limit_in_bytes")) !== undefined;
  }
  // The root cgroup has no such file, that of this process has.
  const own = /^0::(.*)$/m.exec(await readFile(ownCgroups, "utf8"))?.[1] ?? "/";
  return (await filesystem.read(own, "memory", "memory.swap.max")) !== undefined;
}
