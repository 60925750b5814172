import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { waitsForConsumer } from "../../facts/pending-claim.ts";

/** WaitForFirstConsumer is no fault: the claim is bound once a Pod that uses it is scheduled. */
export const claimWaitsForPod = cause<PersistentVolumeClaim>({
  name: "claim-waits-for-first-consumer",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const sentence = waitsForConsumer(claim, view);
    if (sentence === undefined) return undefined;
    return {
      sentence,
      severity: "notice",
      since: claim.metadata.creationTimestamp,
      fix: ["# start a Pod that mounts it: the volume is made on that Pod's node"],
    };
  },
});
