import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const claimLost = cause<PersistentVolumeClaim>({
  name: "claim-lost",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find({ spec, status, metadata }) {
    if (status?.phase !== "Lost") return undefined;
    return {
      sentence: `its PersistentVolume "${spec?.volumeName}" was deleted, and its data are lost (phase Lost)`,
      fix: [`kubectl delete pvc ${metadata.name}`, "# and make it again"],
    };
  },
});
