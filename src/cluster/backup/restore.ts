import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";
import type { Operation } from "../base/operation.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings, saveSettings } from "../base/settings.ts";
import { ensureFolder, traverseOnly, writeWhole } from "../base/write-file.ts";
import { memberFolder } from "../etcd/member-launch.ts";
import type { OpenedArchive } from "./archive.ts";
import { storeFolder } from "./collect.ts";
import { savedFolders, settingsPath } from "./manifest.ts";

/*
 * A restore has two parts. The first writes everything beside what is there, in the folder "restored"; if the program ends
 * in it, the cluster is unchanged. The second, an operation, moves it to its place.
 */
const newFolder = "restored";
/** The bits of modes that files get: a snapshot may come from anywhere, and has keys. */
const onlyOwnerWrites = 0o755;
/** What was there before the last restore. */
const oldFolder = "before-restore";

/** The paths, below the cluster's folder, that a restore replaces; kubeconfigs are written again at the next start. */
const replaced = (paths: ClusterPaths): string[] => [
  storeFolder(paths).slice(paths.folder.length + 1),
  ...savedFolders,
  "access",
  settingsPath,
];

/** What a restore removes: a snapshot has everything in the embedded store. */
const removed = (paths: ClusterPaths): string[] => [
  memberFolder(paths).slice(paths.folder.length + 1),
];

/** Adapts the settings of a snapshot to the place where it is restored. */
type Adapt = (settings: ClusterSettings) => ClusterSettings;

/** Moves a file or folder; replaced in tests, which end the program at each of them. */
type Rename = (from: string, to: string) => Promise<void>;

/** The first part, for a cluster that does not run. Rejects, and changes nothing, if the archive is not whole. */
export async function prepareRestore(
  paths: ClusterPaths,
  archive: OpenedArchive,
  adapt: Adapt,
): Promise<void> {
  const fresh = clusterPaths(join(paths.folder, newFolder));
  await rm(fresh.folder, { recursive: true, force: true });
  await ensureFolder(paths.folder, traverseOnly);
  try {
    await unpack(fresh, archive);
    await saveSettings(fresh, adapt(getSettings(fresh)));
  } catch (error) {
    await rm(fresh.folder, { recursive: true, force: true });
    throw error;
  }
}

/** The second part. It replaces the cluster, and so the journal of whatever was being done to it. */
export const restoreOperation = (move: Rename = rename): Operation<object> => ({
  name: "snapshot restore",
  resumes: "before start",
  replacesOthers: true,
  steps: (paths) => [
    {
      name: "removing what an earlier restore has left",
      run: () => rm(join(paths.folder, oldFolder), { recursive: true, force: true }),
    },
    { name: "moving the snapshot to its place", run: () => moveAll(paths, move) },
  ],
});

async function moveAll(paths: ClusterPaths, move: Rename): Promise<void> {
  const fresh = join(paths.folder, newFolder);
  const old = join(paths.folder, oldFolder);
  for (const path of replaced(paths)) {
    // What is no longer there has been moved before an interruption.
    if (!existsSync(join(fresh, path))) continue;
    const place = join(paths.folder, path);
    for (const parent of [place, join(old, path)]) {
      await mkdir(dirname(parent), { recursive: true, mode: 0o700 });
    }
    if (existsSync(place)) await move(place, join(old, path));
    await move(join(fresh, path), place);
  }
  for (const path of removed(paths)) {
    const place = join(paths.folder, path);
    if (!existsSync(place)) continue;
    await mkdir(old, { recursive: true, mode: 0o700 });
    await move(place, join(old, path));
  }
  await rm(fresh, { recursive: true, force: true });
}

/** Writes the files of an archive, and makes a store of its blocks. */
async function unpack(fresh: ClusterPaths, archive: OpenedArchive): Promise<void> {
  await ensureFolder(fresh.folder);
  const storeFile = join(fresh.folder, "store.snapshot");
  {
    await using store = await open(storeFile, "w", 0o600);
    for await (const entry of archive.entries()) {
      if ("block" in entry) await store.writeFile(entry.block);
      else {
        const path = join(fresh.folder, entry.path);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeWhole(path, entry.content, entry.mode & onlyOwnerWrites);
      }
    }
  }
  // Also those of which the snapshot has no file: what is there now has to go.
  for (const folder of [...savedFolders, "access"]) {
    await mkdir(join(fresh.folder, folder), { recursive: true, mode: 0o700 });
  }
  if (!existsSync(fresh.settings)) throw new CommandFailure("the snapshot has no settings");
  await mkdir(fresh.store, { recursive: true, mode: 0o700 });
  const { restoreStore } = await import("#/storage/run.ts");
  await restoreStore(storeFile, storeFolder(fresh));
  await rm(storeFile);
}
