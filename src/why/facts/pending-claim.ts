import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import type { EventFact, View } from "../base/view.ts";
import { claimNames } from "./claims.ts";
import { hasEnded } from "./containers.ts";

export const isPendingClaim = ({ status, metadata }: PersistentVolumeClaim): boolean =>
  (status?.phase ?? "Pending") === "Pending" && metadata.deletionTimestamp === undefined;

/** That a claim waits for its first Pod, if its class has it wait and no Pod uses it: so it should be. */
export function waitsForConsumer(claim: PersistentVolumeClaim, view: View): string | undefined {
  if (!isPendingClaim(claim)) return undefined;
  const { name = "", namespace } = claim.metadata;
  const found = view.get(storageClasses, { name: claimClass(claim) });
  if (found?.volumeBindingMode !== "WaitForFirstConsumer") return undefined;
  const all = view.list(pods, { namespace });
  const users = (all ?? []).filter((pod) => claimNames(pod).includes(name) && !hasEnded(pod));
  if (!all || users.length > 0) return undefined;
  return `it waits for the first Pod that uses it (its StorageClass "${found.metadata.name}" binds WaitForFirstConsumer), and no Pod does`;
}

export const claimEvent = (
  claim: PersistentVolumeClaim,
  view: View,
  reason: string,
): EventFact | undefined =>
  view.events(persistentVolumeClaims, claim).find((event) => event.reason === reason);
