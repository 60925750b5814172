import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { csiDrivers, storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, timeOf } from "../../base/text.ts";
import { claimEvent, isPendingClaim } from "../../facts/pending-claim.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Limit of the time (ms) in which a provisioner makes a volume without being remarkable. */
const slowMs = 15_000;

export const provisionerSilent = cause<PersistentVolumeClaim>({
  name: "provisioner-silent",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const event = isPendingClaim(claim)
      ? claimEvent(claim, view, "ExternalProvisioning")
      : undefined;
    if (!event || view.nowMs - event.firstMs < slowMs) return undefined;
    const found = view.get(storageClasses, { name: claimClass(claim) });
    const provisioner =
      found?.provisioner ?? /external provisioner '([^']+)'/.exec(event.message)?.[1] ?? "";
    const none = view.isAbsent(csiDrivers, { name: provisioner });
    return {
      sentence: `the provisioner "${provisioner}" of its StorageClass has not made a volume${none ? ": no such CSI driver is installed" : ""}`,
      certainty:
        none || ageMs(timeOf(event.firstMs), view.nowMs) > 4 * slowMs ? "proven" : "likely",
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: [
        "kubectl get csidrivers,storageclasses",
        "# start the provisioner, or make a PersistentVolume yourself",
      ],
    };
  },
});
