/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go (syncVolume). */
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import { hasSameMode } from "#/machinery/volumes/match-volume.ts";

/** The provisioner of a volume. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** The action for a volume. */
type VolumePlan =
  | { readonly do: "setPhase"; readonly phase: "Available" | "Bound" }
  /** It is released: its reclaim policy is applied. */
  | { readonly do: "reclaim" }
  /** Its claim is bound to another one. */
  | { readonly do: "unbind" }
  | { readonly do: "reportMismatch"; readonly claim: PersistentVolumeClaim }
  /** The claim is bound when it is processed itself. */
  | { readonly do: "wait" };

/** Decides about a volume; the claim is the one that it refers to by uid, if it exists. */
export function planVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumePlan {
  const { metadata, spec } = volume;
  if (!spec.claimRef?.uid) return { do: "setPhase", phase: "Available" };
  if (!claim) return { do: "reclaim" };
  const { volumeName } = claim.spec;
  if (!volumeName) {
    return hasSameMode(volume, claim) ? { do: "wait" } : { do: "reportMismatch", claim };
  }
  if (volumeName === metadata.name) return { do: "setPhase", phase: "Bound" };
  const isMadeForIt =
    metadata.annotations?.[provisionedBy] !== undefined &&
    spec.persistentVolumeReclaimPolicy === "Delete";
  return { do: isMadeForIt ? "reclaim" : "unbind" };
}
