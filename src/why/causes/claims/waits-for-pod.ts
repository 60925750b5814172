import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { claimNames } from "../../facts/claims.ts";
import { hasEnded } from "../../facts/containers.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";

/** WaitForFirstConsumer is no fault: the claim is bound once a Pod that uses it is scheduled. */
export const claimWaitsForPod = cause<PersistentVolumeClaim>({
  name: "claim-waits-for-first-consumer",
  layer: "volumes",
  group: "claim",
  isIntended: true,
  of: [persistentVolumeClaims],
  find(claim, view) {
    if (!isPendingClaim(claim)) return undefined;
    const { name = "", namespace } = claim.metadata;
    const found = view.get(storageClasses, { name: claimClass(claim) });
    if (found?.volumeBindingMode !== "WaitForFirstConsumer") return undefined;
    const all = view.list(pods, { namespace });
    const users = (all ?? []).filter((pod) => claimNames(pod).includes(name) && !hasEnded(pod));
    if (!all || users.length > 0) return undefined;
    return {
      sentence: `it waits for the first Pod that uses it (its StorageClass "${found.metadata.name}" binds WaitForFirstConsumer), and no Pod does`,
      since: claim.metadata.creationTimestamp,
      fix: ["# start a Pod that mounts it: the volume is made on that Pod's node"],
    };
  },
});
