/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictPodLogsDirectories). */
import { lstat, readdir, readlink, rm, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { containerLogLinks } from "../directories.ts";

/** Removes a container's log with what was rotated of it. */
export async function removeLogs(logPath: string): Promise<void> {
  const directory = dirname(logPath);
  const name = basename(logPath);
  for (const entry of await readdir(directory).catch(() => [])) {
    if (entry === name || entry.startsWith(`${name}.`)) {
      await rm(join(directory, entry), { force: true });
    }
  }
}

export interface LogCollectionOptions {
  /** Where the logs of pods are, a directory for each: `NAMESPACE_NAME_UID`. */
  readonly podLogs: string;
  /** Where links to the logs are; default /var/log/containers. */
  readonly links?: string;
  /** True once a pod is gone for good. */
  mayRemoveContent(podUID: string): boolean;
}

/** Removes logs of pods that are gone, and links that lead to them. */
export async function collectLogs(options: LogCollectionOptions): Promise<void> {
  const { podLogs, links = containerLogLinks, mayRemoveContent } = options;
  for (const name of await readdir(podLogs).catch(() => [])) {
    const uid = name.split("_").at(-1) ?? "";
    const path = join(podLogs, name);
    if (name.split("_").length === 3 && mayRemoveContent(uid)) {
      await rm(path, { recursive: true, force: true });
    }
  }
  for (const name of await readdir(links).catch(() => [])) {
    const link = join(links, name);
    if (await leadsNowhere(link, podLogs)) await rm(link, { force: true });
  }
}

/** A log that is being rotated is missing for a moment only: its directory is there, so the link stays. */
async function leadsNowhere(link: string, podLogs: string): Promise<boolean> {
  const info = await lstat(link).catch(() => undefined);
  if (!info?.isSymbolicLink()) return false;
  const target = await readlink(link).catch(() => "");
  if (!target.startsWith(podLogs + sep)) return false;
  const directory = await stat(dirname(target)).catch(() => undefined);
  return directory === undefined;
}
