import {
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { volumeClass } from "#/machinery/volumes/match-volume.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";

/** The key of the claim that a volume refers to. */
export const claimKeyOf = ({ namespace, name }: ObjectReference): string => `${namespace}/${name}`;

const volumeIndexes = {
  claim: ({ spec }: PersistentVolume): string[] =>
    spec.claimRef ? [claimKeyOf(spec.claimRef)] : [],
  class: (volume: PersistentVolume): string[] => [volumeClass(volume)],
};

const claimIndexes = {
  unboundClass: (claim: PersistentVolumeClaim): string[] =>
    claim.status?.phase === "Bound" ? [] : [claimClass(claim)],
};

const volumeStore = (informers: Informers) =>
  informers.informer(persistentVolumes, { indexes: volumeIndexes }).store;

/** The volumes that refer to a claim, by its key. */
export const volumesOfClaim = (claim: string, informers: Informers): readonly PersistentVolume[] =>
  volumeStore(informers).byIndex("claim", claim);

/** The volumes of a class, and those that refer to a claim. */
export function volumesFor(
  claim: string,
  className: string,
  informers: Informers,
): readonly PersistentVolume[] {
  const ofClass = volumeStore(informers).byIndex("class", className);
  return [...new Set([...volumesOfClaim(claim, informers), ...ofClass])];
}

/** The claims of a class, "" for none, without a volume. */
export const unboundClaims = (
  className: string,
  informers: Informers,
): readonly PersistentVolumeClaim[] =>
  informers
    .informer(persistentVolumeClaims, { indexes: claimIndexes })
    .store.byIndex("unboundClass", className);
