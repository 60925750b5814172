import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";

/** The store from before a migration, until the user says that it is no longer needed. */
export const keptFolder = (paths: ClusterPaths): string => join(paths.folder, "before-migration");

/** Moves a store aside; does nothing if that has been done. */
export async function keepAside(paths: ClusterPaths, store: string): Promise<void> {
  if (!existsSync(store)) return;
  await mkdir(keptFolder(paths), { recursive: true, mode: 0o700 });
  await rename(store, join(keptFolder(paths), basename(store)));
}

/** Deletes what a migration has left: the store from before it, and the keys of an etcd that is no longer used. */
export async function deleteKept(paths: ClusterPaths, { etcd }: ClusterSettings): Promise<void> {
  await rm(keptFolder(paths), { recursive: true, force: true });
  if (!etcd) await removeEtcdKeys(paths);
}

/** Removes the authority of etcd and its certificates. */
export async function removeEtcdKeys({ pki }: ClusterPaths): Promise<void> {
  for (const name of ["etcd", "apiserver-etcd-client.crt", "apiserver-etcd-client.key"]) {
    await rm(join(pki, name), { recursive: true, force: true });
  }
}
