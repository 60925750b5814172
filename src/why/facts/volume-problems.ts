import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import { compileLabelSelector, formatLabelSelector } from "#/machinery/meta/label-selector.ts";
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
    .sort((a, b) => distance(claim, a) - distance(claim, b))
    .slice(0, maxVolumes)
    .map(
      ({ volume, problems }) =>
        `persistentvolume/${volume.metadata.name} does not fit: ${problems.join(", ") || "the binder has not said why"}`,
    );
}

/** Volumes of the claim's class come first: the others were never meant for it. */
const distance = (
  claim: PersistentVolumeClaim,
  { volume, problems }: { readonly volume: PersistentVolume; readonly problems: readonly string[] },
): number => problems.length + (volumeClass(volume) === claimClass(claim) ? 0 : farAway);

/** More than a volume has problems (count). */
const farAway = 10;

function problemsOf(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly string[] {
  const { phase } = volume.status ?? {};
  const [wanted, offered] = [claimClass(claim), volumeClass(volume)];
  const selector = claim.spec?.selector;
  return [
    ...(phase && phase !== "Available" ? [stateText(volume)] : []),
    ...(wanted === offered ? [] : [`its class is "${offered}", not "${wanted}"`]),
    ...(volumeCapacity(volume).compare(requestedStorage(claim)) < 0
      ? [`it has ${volumeCapacity(volume)} of the ${requestedStorage(claim)} requested`]
      : []),
    ...(hasAccessModes(volume, claim)
      ? []
      : [
          `its access modes are ${(volume.spec.accessModes ?? []).join(", ")}, not ${(claim.spec?.accessModes ?? []).join(", ")}`,
        ]),
    ...(hasSameMode(volume, claim)
      ? []
      : [
          `its volumeMode is ${volume.spec.volumeMode ?? "Filesystem"}, not ${claim.spec?.volumeMode ?? "Filesystem"}`,
        ]),
    ...(selector && !compileLabelSelector(selector).matches(volume.metadata.labels)
      ? [`its labels do not match the selector ${formatLabelSelector(selector)}`]
      : []),
  ];
}

/** `it is Bound to the claim shop/data`. */
function stateText({ status, spec }: PersistentVolume): string {
  const { namespace, name } = spec.claimRef ?? {};
  const of =
    name === undefined
      ? ""
      : ` ${status?.phase === "Bound" ? "to" : "by"} the claim ${namespace}/${name}`;
  return `it is ${status?.phase}${of}`;
}
