/** Upstream: pkg/volume/projected/projected.go. */
import { type FileVolumeServices, fileVolume } from "../file-volume.ts";
import { projectedPayload, type VolumeContents } from "../projected-payload.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

interface ProjectedVolumeServices extends FileVolumeServices {
  readonly contents: VolumeContents;
}

/** Files of several sources in one directory in memory. */
export function projected(services: ProjectedVolumeServices): VolumePlugin {
  return fileVolume(services, {
    source: "projected",
    plugin: "kubernetes.io/projected",
    inMemory: true,
    payload: ({ pod, volume }) =>
      projectedPayload(volume.projected ?? {}, pod, volume.name, services.contents),
  });
}
