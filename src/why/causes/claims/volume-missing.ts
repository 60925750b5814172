import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";

/** A claim that names a volume, which is absent or belongs to another. */
export const claimedVolumeUnusable = cause<PersistentVolumeClaim>({
  name: "claimed-volume-unusable",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const name = claim.spec?.volumeName;
    if (!isPendingClaim(claim) || !name) return undefined;
    const found = view.lookup(persistentVolumes, { name });
    if (found.state === "absent") {
      return {
        sentence: `it asks for the PersistentVolume "${name}", which does not exist`,
        fix: ["kubectl get persistentvolumes"],
      };
    }
    const owner = found.state === "found" ? found.value.spec.claimRef : undefined;
    if (
      !owner ||
      (owner.namespace === claim.metadata.namespace && owner.name === claim.metadata.name)
    ) {
      return undefined;
    }
    return {
      sentence: `it asks for the PersistentVolume "${name}", which is bound to the claim ${owner.namespace}/${owner.name}`,
      fix: ["kubectl get persistentvolumes"],
    };
  },
});
