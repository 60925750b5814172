import { type ClaimedVolumeServices, setUpClaimed } from "../claimed-volume.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

/** The PersistentVolume of a claim that is created for the Pod and owned by it. */
export function ephemeral(services: ClaimedVolumeServices): VolumePlugin {
  return {
    source: "ephemeral",
    setUp(request) {
      const name = `${request.pod.metadata.name}-${request.volume.name}`;
      return setUpClaimed(request, { name, readOnly: false, ownedByPod: true }, services);
    },
  };
}
