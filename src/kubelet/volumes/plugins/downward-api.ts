/** Upstream: pkg/volume/downwardapi/downwardapi.go. */
import { defaultMode, type FileVolumeServices, fileVolume } from "../file-volume.ts";
import { downwardPayload } from "../payloads.ts";
import type { VolumeContents } from "../projected-payload.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

interface DownwardAPIVolumeServices extends FileVolumeServices {
  readonly contents: Pick<VolumeContents, "facts">;
}

/** Fields of the Pod itself as files in memory. */
export function downwardAPI(services: DownwardAPIVolumeServices): VolumePlugin {
  return fileVolume(services, {
    source: "downwardAPI",
    plugin: "kubernetes.io/downward-api",
    inMemory: true,
    async payload({ pod, volume }) {
      const { downwardAPI: source = {} } = volume;
      const modes = { defaultMode, ...source };
      return downwardPayload(source.items ?? [], pod, services.contents.facts(pod), modes);
    },
  });
}
