import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { etcdAccess } from "../base/etcd-access.ts";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { ArchiveContent } from "./archive.ts";
import { formatVersion, type SnapshotFile, savedFolders, settingsPath } from "./manifest.ts";

/** The store of a cluster, as the API server names it below its folder. */
export const storeFolder = (paths: ClusterPaths): string => join(paths.store, "store");

/** The content of a snapshot of a cluster, running or not; to be disposed of. */
export async function collectContent(
  paths: ClusterPaths,
  settings: ClusterSettings,
  now: number,
): Promise<ArchiveContent & AsyncDisposable> {
  if (settings.role !== "server") {
    throw new CommandFailure("snapshots are made on the machine of the server");
  }
  const store = await openBlocks(paths, settings);
  const { files, entries } = await readFiles(paths.folder);
  return {
    manifest: {
      format: formatVersion,
      cluster: settings.name,
      created: `${new Date(now).toISOString().slice(0, 19)}Z`,
      version: ownVersion(),
      kubernetesVersion,
      revision: store.revision,
      files: entries,
    },
    files,
    store: store.blocks,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The content of the cluster's store: what is in its folder, or in its etcd, which has to run. */
async function openBlocks(paths: ClusterPaths, { etcd, nodeIp }: ClusterSettings) {
  const { openEtcdBlocks, openStoreBlocks } = await import("#/storage/run.ts");
  return etcd
    ? await openEtcdBlocks(etcdAccess(paths, etcd, nodeIp))
    : await openStoreBlocks(storeFolder(paths));
}

/** The files of a cluster's folder that a snapshot contains. */
async function readFiles(folder: string) {
  const files = new Map<string, Uint8Array>();
  const entries: SnapshotFile[] = [];
  for (const path of [settingsPath, ...(await savedPaths(folder))]) {
    const content = await readFile(join(folder, path));
    const { mode } = await stat(join(folder, path));
    files.set(path, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    entries.push({ path, mode: mode & 0o777, sha256 });
  }
  return { files, entries };
}

async function savedPaths(folder: string): Promise<string[]> {
  const found = await Promise.all(
    savedFolders.map(async (name) => {
      if (!existsSync(join(folder, name))) return [];
      const options = { recursive: true, withFileTypes: true } as const;
      const entries = await readdir(join(folder, name), options);
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".new"))
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    }),
  );
  return found.flat().sort();
}
