import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { volumeClass } from "#/machinery/volumes/match-volume.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause, type Found } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";
import { volumeProblems } from "../../facts/volume-problems.ts";

export const storageClassMissing = cause<PersistentVolumeClaim>({
  name: "storage-class-missing",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const name = claimClass(claim);
    if (!isPendingClaim(claim) || name === "" || !view.isAbsent(storageClasses, { name }))
      return undefined;
    const own = (view.list(persistentVolumes) ?? []).filter((one) => volumeClass(one) === name);
    if (own.length > 0) return noneFits(claim, name, own);
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

/** Volumes that a person made need no StorageClass: the name alone joins them with claims. */
function noneFits(
  claim: PersistentVolumeClaim,
  name: string,
  volumes: readonly PersistentVolume[],
): Found {
  const problems = volumeProblems(claim, volumes);
  const nearest = problems[0]?.replace(/^persistentvolume\/(\S+) does not fit/, "$1");
  return {
    sentence: `no PersistentVolume of its class "${name}" fits it (${nearest}), and no StorageClass of that name provisions one`,
    since: claim.metadata.creationTimestamp,
    evidence: problems,
    fix: [
      "kubectl get persistentvolumes",
      "# create a PersistentVolume with its class, size and access mode",
    ],
  };
}
