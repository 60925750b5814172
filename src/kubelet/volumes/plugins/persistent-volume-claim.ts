import { type ClaimedVolumeServices, setUpClaimed } from "../claimed-volume.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

/** The PersistentVolume of a claim that exists. */
export function persistentVolumeClaim(services: ClaimedVolumeServices): VolumePlugin {
  return {
    source: "persistentVolumeClaim",
    setUp(request) {
      const { claimName: name = "", readOnly = false } = request.volume.persistentVolumeClaim ?? {};
      return setUpClaimed(request, { name, readOnly, ownedByPod: false }, services);
    },
  };
}
