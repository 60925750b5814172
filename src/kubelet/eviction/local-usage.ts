/** Upstream: pkg/kubelet/stats/cri_stats_provider.go, pkg/kubelet/server/stats/fs_resource_analyzer.go. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
import type { Directories } from "../state/directories.ts";
import type { DiskUsage } from "../stats/disk-usage.ts";
import type { PodSummary } from "../stats/stats-summary.ts";
import { type LocalUsage, onDisk } from "./local-storage.ts";

interface LocalUsageOptions {
  readonly directories: Directories;
  /** Its last measurements suffice: a large volume must not delay other evictions. */
  readonly disk: Pick<DiskUsage, "latest">;
}

/** Unit of `blocks` in the status of a file (bytes). */
const blockBytes = 512;

/** A pod's usage of the local disk: its volumes there, its containers' layers, logs and the kubelet's files for them. */
export async function localUsage(
  { directories, disk }: LocalUsageOptions,
  pod: Pod,
  stats: PodSummary | undefined,
): Promise<LocalUsage> {
  const uid = pod.metadata.uid ?? "";
  const volumes = new Map<string, number>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    if (!onDisk(emptyDir)) continue;
    const directory = directories.volume(uid, "kubernetes.io/empty-dir", name);
    volumes.set(name, disk.latest(directory)?.usedBytes ?? 0);
  }
  const containers = new Map<string, number>();
  let ownFilesBytes = await fileUsage(directories.hostsFile(uid));
  for (const { name, rootfs } of stats?.containers ?? []) {
    const logs = disk.latest(join(directories.podLog(pod), name))?.usedBytes ?? 0;
    containers.set(name, logs + ((rootfs as { usedBytes?: number } | undefined)?.usedBytes ?? 0));
    ownFilesBytes += await messageUsage(directories.container(uid, name));
  }
  return { volumes, containers, ownFilesBytes };
}

/** Size of the termination messages of a container and its earlier instances (bytes). */
async function messageUsage(directory: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    sum += await fileUsage(join(directory, name));
  }
  return sum;
}

/** Blocks of one file of the kubelet's own disk (bytes); 0 if it doesn't exist. */
async function fileUsage(path: string): Promise<number> {
  return lstat(path).then(
    ({ blocks }) => blocks * blockBytes,
    () => 0,
  );
}
