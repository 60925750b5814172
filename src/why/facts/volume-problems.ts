import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import {
  hasAccessModes,
  hasSameMode,
  requestedStorage,
  volumeCapacity,
  volumeClass,
} from "#/machinery/volumes/match-volume.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";

/** Limit of the volumes that are compared in evidence (count). */
const maxVolumes = 5;

/** Why the existing volumes do not fit a claim, the nearest first. */
export function volumeProblems(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly string[] {
  return volumes
    .map((volume) => ({ volume, problems: problemsOf(claim, volume) }))
    .sort((a, b) => a.problems.length - b.problems.length)
    .slice(0, maxVolumes)
    .map(
      ({ volume, problems }) =>
        `persistentvolume/${volume.metadata.name} does not fit: ${problems.join(", ") || "the binder has not said why"}`,
    );
}

function problemsOf(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly string[] {
  const { phase } = volume.status ?? {};
  const [wanted, offered] = [claimClass(claim), volumeClass(volume)];
  const selector = claim.spec?.selector;
  return [
    ...(phase && phase !== "Available" ? [`it is ${phase}`] : []),
    ...(wanted === offered ? [] : [`its class is "${offered}", not "${wanted}"`]),
    ...(volumeCapacity(volume).compare(requestedStorage(claim)) < 0
      ? [`it has ${volumeCapacity(volume)} of the ${requestedStorage(claim)} requested`]
      : []),
    ...(hasAccessModes(volume, claim)
      ? []
      : [`its access modes are ${(volume.spec.accessModes ?? []).join(", ")}`]),
    ...(hasSameMode(volume, claim)
      ? []
      : [`its volumeMode is ${volume.spec.volumeMode ?? "Filesystem"}`]),
    ...(selector && !compileLabelSelector(selector).matches(volume.metadata.labels)
      ? ["its labels do not match the selector"]
      : []),
  ];
}
