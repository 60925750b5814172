import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { claimNames } from "../../facts/claims.ts";
import { isScheduled } from "../../facts/containers.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";

/** Limit of the time (ms) in which a claim is bound without being remarkable. */
const slowMs = 30_000;

/** Of the group's causes the last. A claim that waits for its Pod's node has no cause of its own. */
export const claimPending = cause<PersistentVolumeClaim>({
  name: "claim-pending",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    if (!isPendingClaim(claim)) return undefined;
    const { name = "", namespace, creationTimestamp } = claim.metadata;
    if (ageMs(creationTimestamp, view.nowMs) < slowMs) return undefined;
    const waiting = (view.list(pods, { namespace }) ?? []).some(
      (pod) => claimNames(pod).includes(name) && !isScheduled(pod),
    );
    const [event] = view.events(persistentVolumeClaims, claim);
    if (waiting && event?.reason !== "Provisioning") return undefined;
    return {
      sentence: `it is not bound to a volume${event ? `: ${oneLine(event.message, 200)}` : ", and nothing says why"}`,
      certainty: "likely",
      since: creationTimestamp,
      fix: [`kubectl describe pvc ${name}`],
    };
  },
});
