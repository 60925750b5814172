import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { findDefaultStorageClass } from "#/machinery/volumes/default-storage-class.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { claimEvent, isPendingClaim } from "../../facts/pending-claim.ts";
import { volumeProblems } from "../../facts/volume-problems.ts";

/** Neither a class nor a fitting volume: nothing will ever be provisioned. */
export const noStorageClass = cause<PersistentVolumeClaim>({
  name: "no-storage-class",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    if (!isPendingClaim(claim) || claimClass(claim) !== "") return undefined;
    const classes = view.list(storageClasses);
    if (!classes) return undefined;
    const standard = findDefaultStorageClass(classes)?.metadata.name;
    const asked = claim.spec?.storageClassName === "" ? " (storageClassName is empty)" : "";
    const problems = volumeProblems(claim, view.list(persistentVolumes) ?? []);
    return {
      sentence: `it has no StorageClass${asked}${standard ? "" : ", the cluster has no default StorageClass"}, and no PersistentVolume fits`,
      since: claim.metadata.creationTimestamp,
      evidence: [
        ...(claimEvent(claim, view, "FailedBinding")
          ? ["no persistent volumes available for this claim and no storage class is set"]
          : []),
        ...problems,
      ],
      fix: standard
        ? [
            `# make the claim again without storageClassName: it then gets the default class "${standard}"`,
          ]
        : [
            "kubectl get storageclasses",
            "# install a provisioner, or create a PersistentVolume that fits",
          ],
    };
  },
});
