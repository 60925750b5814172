import { rm, rmdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type ClusterSettings, localServer } from "../base/settings.ts";

/** Folders of kubectl's caches, one entry for each server. */
const cacheFolders = ["discovery", "openapi"];

/** Removes kubectl's caches of a cluster beside the kubeconfigs that it was added to. */
export async function removeKubectlCache(settings: ClusterSettings): Promise<void> {
  if (settings.server === "") return;
  const beside = settings.kubeconfigs.map((file) => dirname(file));
  const folders = new Set([...beside, join(homedir(), ".kube")]);
  for (const folder of folders) {
    if (basename(folder) !== ".kube") continue;
    for (const server of [settings.server, localServer(settings)])
      await removeCache(folder, server);
  }
}

/** The name of a server's folder in kubectl's cache. Upstream: client-go/discovery/cached/disk. */
const cacheName = (server: string): string =>
  server.replace(/^https?:\/\//, "").replace(/[^(\w/.)]/g, "_");

/** Parent folders are removed only if they are empty. */
async function removeCache(kubeFolder: string, server: string): Promise<void> {
  const cache = join(kubeFolder, "cache");
  for (const folder of cacheFolders) {
    await rm(join(cache, folder, cacheName(server)), { recursive: true, force: true });
    await rmdir(join(cache, folder)).catch(() => undefined);
  }
  for (const folder of [join(cache, "http"), cache, kubeFolder]) {
    await rmdir(folder).catch(() => undefined);
  }
}
