/** Upstream: pkg/volume/emptydir/empty_dir.go. */

import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Directories } from "../../state/directories.ts";
import { ensureEmptyDir } from "../ensure-empty-dir.ts";
import { ensureVolumeOwnership } from "../volume-ownership.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

interface EmptyDirVolumeServices {
  readonly mounter: Mounter;
  readonly directories: Directories;
  /** Memory that all Pods may use together (bytes): the limit of volumes in memory. */
  readonly allocatableMemoryBytes: number;
  readonly supportsNoswap: () => Promise<boolean>;
}

/** A directory that lives as long as its Pod, on disk, in memory or in huge pages. */
export function emptyDir(services: EmptyDirVolumeServices): VolumePlugin {
  const { mounter, directories, allocatableMemoryBytes, supportsNoswap } = services;
  return {
    source: "emptyDir",
    async setUp({ pod, volume }) {
      const path = directories.volume(
        pod.metadata.uid ?? "",
        "kubernetes.io/empty-dir",
        volume.name,
      );
      await ensureEmptyDir(volume.emptyDir ?? {}, {
        mounter,
        pod,
        directory: path,
        allocatableMemoryBytes,
        supportsNoswap,
      });
      const fsGroup = pod.spec.securityContext?.fsGroup;
      if (fsGroup !== undefined) await ensureVolumeOwnership(path, { fsGroup, readOnly: false });
      return { path, readOnly: false, follows: false };
    },
  };
}
