/** Upstream: pkg/volume/secret/secret.go. */
import { orOptional } from "../../state/or-optional.ts";
import { defaultMode, type FileVolumeServices, fileVolume } from "../file-volume.ts";
import { secretPayload } from "../payloads.ts";
import type { VolumeContents } from "../projected-payload.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

interface SecretVolumeServices extends FileVolumeServices {
  readonly contents: Pick<VolumeContents, "getSecret">;
}

/** The keys of a Secret as files in memory. */
export function secret(services: SecretVolumeServices): VolumePlugin {
  return fileVolume(services, {
    source: "secret",
    plugin: "kubernetes.io/secret",
    inMemory: true,
    async payload({ pod, volume }) {
      const { secret: source = {} } = volume;
      const namespace = pod.metadata.namespace ?? "";
      const found = services.contents.getSecret(namespace, source.secretName ?? "");
      return secretPayload(await orOptional(found, source.optional), { defaultMode, ...source });
    },
  });
}
