import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { packArchive } from "./archive.ts";
import { collectContent } from "./collect.ts";
import type { SnapshotManifest } from "./manifest.ts";

interface MadeSnapshot {
  readonly manifest: SnapshotManifest;
  readonly sizeBytes: number;
}

/** Makes a snapshot of a cluster, running or not. */
export async function makeSnapshot(
  paths: ClusterPaths,
  settings: ClusterSettings,
  {
    now,
    passphrase,
    write,
  }: {
    readonly now: number;
    readonly passphrase: string | undefined;
    /** Returns the size of what it has written. */
    readonly write: (content: AsyncIterable<Uint8Array>) => Promise<number>;
  },
): Promise<MadeSnapshot> {
  await using content = await collectContent(paths, settings, now);
  const sizeBytes = await write(packArchive(content, passphrase));
  return { manifest: content.manifest, sizeBytes };
}
