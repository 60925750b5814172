import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";

export const storageClassMissing = cause<PersistentVolumeClaim>({
  name: "storage-class-missing",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const name = claimClass(claim);
    if (!isPendingClaim(claim) || name === "" || !view.isAbsent(storageClasses, { name }))
      return undefined;
    const others = (view.list(storageClasses) ?? []).map(({ metadata }) => metadata.name ?? "");
    return {
      sentence: `its StorageClass "${name}" does not exist`,
      since: claim.metadata.creationTimestamp,
      evidence: [
        others.length > 0 ? `StorageClasses: ${names(others)}` : "the cluster has no StorageClass",
      ],
      fix: [
        "kubectl get storageclasses",
        "# make the claim again with another storageClassName: it cannot be changed",
      ],
    };
  },
});
