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
    if (!owner) return undefined;
    const { namespace, name: claimName, uid } = claim.metadata;
    if (owner.namespace === namespace && owner.name === claimName) {
      if (!owner.uid || owner.uid === uid) return undefined;
      return {
        sentence: `it asks for the PersistentVolume "${name}", which still belongs to an earlier claim of the same name, since deleted`,
        evidence: [`spec.claimRef of the volume has the UID ${owner.uid}; the claim's is ${uid}`],
        fix: [
          "# if its data may be used again:",
          `kubectl patch pv ${name} --type=json -p '[{"op":"remove","path":"/spec/claimRef/uid"}]'`,
        ],
      };
    }
    return {
      sentence: `it asks for the PersistentVolume "${name}", which is bound to the claim ${owner.namespace}/${owner.name}`,
      fix: ["kubectl get persistentvolumes"],
    };
  },
});
