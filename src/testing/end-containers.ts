import { globSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "./until.ts";

/**
 * Ends the containers of a containerd that was killed, and removes their cgroups. Pods that name no cgroup, as those of tests
 * of the runtime alone, are in one that all runtimes of the machine share.
 */
export async function endContainers(state: string): Promise<void> {
  const folder = join(state, "io.containerd.runtime.v2.task/k8s.io");
  for (const id of await readdir(folder).catch(() => [])) {
    const pid = Number(await readFile(join(folder, id, "init.pid"), "utf8").catch(() => ""));
    // The number may be that of another process by now.
    const cgroups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    if (pid > 0 && cgroups.includes(id)) process.kill(pid, "SIGKILL");
    const left = () => globSync([`/sys/fs/cgroup/k8s.io/${id}`, `/sys/fs/cgroup/*/k8s.io/${id}`]);
    await until("the cgroups of a container are removed", async () => {
      for (const cgroup of left()) await rmdir(cgroup).catch(() => undefined);
      return left().length === 0;
    });
  }
}
