/** Upstream: pkg/volume/nfs/nfs.go. */
import { mkdir } from "node:fs/promises";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Directories } from "../../state/directories.ts";
import type { MountedVolume, VolumePlugin } from "../volume-plugin.ts";

interface NfsVolumeServices {
  readonly mounter: Mounter;
  readonly directories: Directories;
}

/** Source and target of a mount. */
interface NfsMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  readonly mountOptions: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** A directory of an NFS server. */
export function nfs({ mounter, directories }: NfsVolumeServices): VolumePlugin {
  const mount = async (volume: NfsMount): Promise<MountedVolume> => {
    const { source, target, readOnly, mountOptions, signal } = volume;
    if (!(await mounter.isMountPoint(target))) {
      await mkdir(target, { recursive: true, mode: 0o750 });
      const options = [...(readOnly ? ["ro"] : []), ...mountOptions];
      await mounter.mount({ source, target, type: "nfs", options, signal });
    }
    return { path: target, readOnly, follows: false };
  };
  const targetOf = (podUID: string | undefined, name: string | undefined): string =>
    directories.volume(podUID ?? "", "kubernetes.io/nfs", name ?? "");
  return {
    source: "nfs",
    setUp({ pod, volume, signal }) {
      const { server = "", path = "", readOnly = false } = volume.nfs ?? {};
      const source = `${server.includes(":") ? `[${server}]` : server}:${path}`;
      const target = targetOf(pod.metadata.uid, volume.name);
      return mount({ source, target, readOnly, mountOptions: [], signal });
    },
    setUpPersistent({ pod, persistentVolume, readOnly, signal }) {
      const { metadata, spec } = persistentVolume;
      return mount({
        source: `${spec.nfs?.server}:${spec.nfs?.path}`,
        target: targetOf(pod.metadata.uid, metadata.name),
        readOnly: readOnly || (spec.nfs?.readOnly ?? false),
        mountOptions: spec.mountOptions ?? [],
        signal,
      });
    },
  };
}
