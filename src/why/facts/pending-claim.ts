import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import { persistentVolumeClaims } from "#/api/core/v1.ts";
import type { EventFact, View } from "../base/view.ts";

export const isPendingClaim = ({ status, metadata }: PersistentVolumeClaim): boolean =>
  (status?.phase ?? "Pending") === "Pending" && metadata.deletionTimestamp === undefined;

export const claimEvent = (
  claim: PersistentVolumeClaim,
  view: View,
  reason: string,
): EventFact | undefined =>
  view.events(persistentVolumeClaims, claim).find((event) => event.reason === reason);
