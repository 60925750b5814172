import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { oneLine, timeOf } from "../../base/text.ts";
import { claimEvent, isPendingClaim } from "../../facts/pending-claim.ts";
import { eventLine } from "../../facts/pod-events.ts";

export const provisioningFailed = cause<PersistentVolumeClaim>({
  name: "provisioning-failed",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const event = isPendingClaim(claim) ? claimEvent(claim, view, "ProvisioningFailed") : undefined;
    if (!event) return undefined;
    return {
      sentence: `the provisioner of its StorageClass "${claimClass(claim)}" fails: ${oneLine(event.message, 220)}`,
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: [`kubectl get storageclass ${claimClass(claim)} -o yaml`],
    };
  },
});
