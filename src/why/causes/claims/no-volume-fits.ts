import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { claimEvent, isPendingClaim } from "../../facts/pending-claim.ts";
import { volumeProblems } from "../../facts/volume-problems.ts";

/** A class that provisions nothing, or a claim with a selector: a person makes the volumes. */
export const noVolumeFits = cause<PersistentVolumeClaim>({
  name: "no-volume-fits",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const name = claimClass(claim);
    if (!isPendingClaim(claim) || name === "") return undefined;
    const found = view.get(storageClasses, { name });
    const isManual = found?.provisioner === "kubernetes.io/no-provisioner";
    const event =
      claimEvent(claim, view, "FailedBinding") ?? claimEvent(claim, view, "VolumeMismatch");
    if (!isManual && !event) return undefined;
    const problems = volumeProblems(claim, view.list(persistentVolumes) ?? []);
    return {
      sentence:
        event?.reason === "VolumeMismatch"
          ? oneLine(event.message, 200)
          : `no PersistentVolume fits it, and its StorageClass "${name}" provisions none${problems[0] ? ` (${problems[0]})` : ""}`,
      since: claim.metadata.creationTimestamp,
      evidence: problems.length > 0 ? problems : ["there is no PersistentVolume"],
      fix: [
        "kubectl get persistentvolumes",
        "# create a PersistentVolume with its class, size and access mode",
      ],
    };
  },
});
