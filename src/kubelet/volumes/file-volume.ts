import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Volume } from "#/api/core/v1.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Directories } from "../state/directories.ts";
import { type FileProjection, writeAtomically } from "./atomic-writer.ts";
import { ensureEmptyDir } from "./ensure-empty-dir.ts";
import { nestedMountPaths } from "./nested-mounts.ts";
import { ensureVolumeOwnership } from "./volume-ownership.ts";
import type { MountedVolume, VolumePlugin, VolumeRequest } from "./volume-plugin.ts";

/** The parts of the node that every volume of files needs. */
export interface FileVolumeServices {
  readonly mounter: Mounter;
  readonly directories: Directories;
  readonly clock: Clock;
  /** Memory that all Pods may use together (bytes): the limit of volumes in memory. */
  readonly allocatableMemoryBytes: number;
  readonly supportsNoswap: () => Promise<boolean>;
}

/** A source whose files are computed from API objects. */
interface FileVolumeSource {
  readonly source: Exclude<keyof Volume, "name">;
  /** Directory of the plugin, as upstream names it: `kubernetes.io/configmap`. */
  readonly plugin: string;
  /** Whether the files are kept in memory. */
  readonly inMemory: boolean;
  payload(request: VolumeRequest): Promise<Map<string, FileProjection>>;
}

/** Mode of files for which the volume has none. */
export const defaultMode = 0o644;

/**
 * The plugin of a source of files: all files are written together, and replaced together when the API objects change.
 */
export function fileVolume(services: FileVolumeServices, from: FileVolumeSource): VolumePlugin {
  return { source: from.source, setUp: (request) => setUpFiles(request, services, from) };
}

async function setUpFiles(
  request: VolumeRequest,
  { mounter, directories, clock, allocatableMemoryBytes, supportsNoswap }: FileVolumeServices,
  { plugin, inMemory, payload: compute }: FileVolumeSource,
): Promise<MountedVolume> {
  const { pod, volume } = request;
  const directory = directories.volume(pod.metadata.uid ?? "", plugin, volume.name);
  const medium = inMemory ? { medium: "Memory" } : {};
  // The directory is created while the request to the API server is under way.
  const [payload] = await settleAll([
    compute(request),
    ensureEmptyDir(medium, { mounter, pod, directory, allocatableMemoryBytes, supportsNoswap }),
  ] as const);
  for (const nested of nestedMountPaths(pod, volume.name)) {
    await mkdir(join(directory, nested), { recursive: true, mode: 0o755 });
  }
  const fsGroup = pod.spec.securityContext?.fsGroup;
  await writeAtomically(directory, payload, {
    nowMs: clock.now(),
    ...(fsGroup !== undefined && {
      setPermissions: () => ensureVolumeOwnership(directory, { fsGroup, readOnly: true }),
    }),
  });
  return { path: directory, readOnly: true, follows: true };
}
