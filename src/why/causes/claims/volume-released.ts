import { type PersistentVolume, persistentVolumes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

export const volumeReleased = cause<PersistentVolume>({
  name: "volume-released",
  layer: "volumes",
  of: [persistentVolumes],
  find({ spec, status, metadata }) {
    const { phase, message = "" } = status ?? {};
    const claim = `${spec.claimRef?.namespace}/${spec.claimRef?.name}`;
    if (phase === "Failed") {
      return {
        sentence: `it could not be reclaimed (policy ${spec.persistentVolumeReclaimPolicy}) after its claim ${claim} was deleted: ${oneLine(message, 200)}`,
        fix: [
          `kubectl describe pv ${metadata.name}`,
          "# delete its data and the PersistentVolume by hand",
        ],
      };
    }
    if (phase !== "Released" || metadata.deletionTimestamp) return undefined;
    return {
      sentence: `its claim ${claim} was deleted, and with the policy ${spec.persistentVolumeReclaimPolicy} it keeps its data and takes no other claim (Released)`,
      fix: [
        "# save or delete its data, then make it available again:",
        `kubectl patch pv ${metadata.name} --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'`,
      ],
    };
  },
});
