/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go (syncVolume). */
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import { hasSameMode } from "#/machinery/volumes/match-volume.ts";

/** Who has made a volume for a claim. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** What is to be done about a volume. */
export type VolumePlan =
  | { readonly do: "setPhase"; readonly phase: "Available" | "Bound" }
  /** Nobody needs it any more: what its policy says is done. */
  | { readonly do: "reclaim" }
  /** Its claim has found another. */
  | { readonly do: "unbind" }
  | { readonly do: "tellMismatch"; readonly claim: PersistentVolumeClaim }
  /** The claim is bound to it when that is looked at. */
  | { readonly do: "wait" };

/** Decides about a volume; the claim is the very one that it refers to, if that is there. */
export function planVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumePlan {
  const { metadata, spec } = volume;
  if (!spec.claimRef?.uid) return { do: "setPhase", phase: "Available" };
  if (!claim) return { do: "reclaim" };
  const { volumeName } = claim.spec;
  if (!volumeName) {
    return hasSameMode(volume, claim) ? { do: "wait" } : { do: "tellMismatch", claim };
  }
  if (volumeName === metadata.name) return { do: "setPhase", phase: "Bound" };
  const isMadeForIt =
    metadata.annotations?.[provisionedBy] !== undefined &&
    spec.persistentVolumeReclaimPolicy === "Delete";
  return { do: isMadeForIt ? "reclaim" : "unbind" };
}
