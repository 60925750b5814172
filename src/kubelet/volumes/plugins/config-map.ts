/** Upstream: pkg/volume/configmap/configmap.go. */
import { orOptional } from "../../state/or-optional.ts";
import { defaultMode, type FileVolumeServices, fileVolume } from "../file-volume.ts";
import { configMapPayload } from "../payloads.ts";
import type { VolumeContents } from "../projected-payload.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

interface ConfigMapVolumeServices extends FileVolumeServices {
  readonly contents: Pick<VolumeContents, "getConfigMap">;
}

/** The keys of a ConfigMap as files. */
export function configMap(services: ConfigMapVolumeServices): VolumePlugin {
  return fileVolume(services, {
    source: "configMap",
    plugin: "kubernetes.io/configmap",
    inMemory: false,
    async payload({ pod, volume }) {
      const { configMap: source = {} } = volume;
      const found = services.contents.getConfigMap(pod.metadata.namespace ?? "", source.name ?? "");
      return configMapPayload(await orOptional(found, source.optional), { defaultMode, ...source });
    },
  });
}
