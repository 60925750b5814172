/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go (evictPodLogsDirectories). */
import { readdir, readlink, rm } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { containerLogLinks } from "../state/directories.ts";

/** Removes a container's log with its rotated files. */
export async function removeLogs(logPath: string): Promise<void> {
  const directory = dirname(logPath);
  const name = basename(logPath);
  for (const entry of await readdir(directory).catch(() => [])) {
    if (entry === name || entry.startsWith(`${name}.`)) {
      await rm(join(directory, entry), { force: true });
    }
  }
}

interface LogCollectionOptions {
  /** Directory of the logs of pods, with a directory for each: `NAMESPACE_NAME_UID`. */
  readonly podLogs: string;
  /** Directory of the links to the logs; default /var/log/containers. */
  readonly links?: string;
  /** True once a pod is removed for good. */
  mayRemoveContent(podUID: string): boolean;
}

/** Removes logs of removed pods, and links to them. */
export async function collectLogs(options: LogCollectionOptions): Promise<void> {
  const { podLogs, links = containerLogLinks, mayRemoveContent } = options;
  // Links are listed first: a pod that is added meanwhile is among the pods, and its link isn't among these.
  const names = await listIfThere(links);
  const kept = new Set<string>();
  for (const name of await listIfThere(podLogs)) {
    const uid = name.split("_").at(-1) ?? "";
    if (name.split("_").length === 3 && mayRemoveContent(uid)) {
      await rm(join(podLogs, name), { recursive: true, force: true });
    } else kept.add(name);
  }
  for (const name of names) {
    const link = join(links, name);
    // Other programs keep files here, too.
    const target = await readlink(link).catch(() => "");
    if (!target.startsWith(podLogs + sep)) continue;
    const [pod = ""] = target.slice(podLogs.length + 1).split(sep);
    if (!kept.has(pod)) await rm(link, { force: true });
  }
}

/** Other errors are thrown: a directory that can't be listed may contain logs that are in use. */
async function listIfThere(directory: string): Promise<readonly string[]> {
  return await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
