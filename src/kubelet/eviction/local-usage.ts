import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import { runProgram } from "#/std/process/run-program.ts";
import type { Directories } from "../state/directories.ts";
import type { PodSummary } from "../stats/stats-summary.ts";
import { type LocalUsage, onDisk } from "./local-storage.ts";

const log = logger("eviction");

/** A pod's usage of the local disk: its volumes there, its containers' layers and logs. */
export async function localUsage(
  directories: Directories,
  pod: Pod,
  stats: PodSummary | undefined,
): Promise<LocalUsage> {
  const uid = pod.metadata.uid ?? "";
  const volumes = new Map<string, number>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    if (!onDisk(emptyDir)) continue;
    volumes.set(name, await diskUsage(directories.volume(uid, "kubernetes.io/empty-dir", name)));
  }
  const containers = new Map<string, number>();
  for (const { name, rootfs } of stats?.containers ?? []) {
    const logs = await diskUsage(join(directories.podLog(pod), name));
    containers.set(name, logs + ((rootfs as { usedBytes?: number } | undefined)?.usedBytes ?? 0));
  }
  return { volumes, containers };
}

/** Size of a directory (bytes); 0 if it doesn't exist. */
async function diskUsage(directory: string): Promise<number> {
  try {
    const output = await runProgram("du", ["-s", "-x", "-B", "1", directory]);
    return Number.parseInt(output, 10);
  } catch (error) {
    log.v(4, "failed to read disk usage", { directory, error: (error as Error).message });
    return 0;
  }
}
