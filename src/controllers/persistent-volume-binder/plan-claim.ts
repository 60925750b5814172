/** Upstream: pkg/controller/volume/persistentvolume/{pv_controller,index}.go. */
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import {
  findMatchingVolume,
  hasAccessModes,
  hasClaimRefTo,
  hasSameAttributes,
  hasSameMode,
  requestedStorage,
  volumeCapacity,
  volumeClass,
} from "#/machinery/volumes/match-volume.ts";
import {
  boundAnnotation,
  claimClass,
  selectedNodeAnnotation,
} from "#/machinery/volumes/volume-claims.ts";

/** The state besides a claim. */
export interface ClaimView {
  findVolume(name: string): PersistentVolume | undefined;
  /** Volumes with the claim's class, or reserved for it. */
  readonly candidates: readonly PersistentVolume[];
  /** The requested class, if it exists. */
  readonly storageClass: StorageClass | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** Names of the Pods that use it and have no node yet. */
  readonly waitingPods: readonly string[];
}

interface PlannedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The action for a claim. */
export type ClaimPlan =
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  /** Its volume, and with it the data, is deleted. */
  | { readonly do: "lose"; readonly event: PlannedEvent }
  /** It stays pending. */
  | { readonly do: "wait"; readonly event?: PlannedEvent }
  | { readonly do: "setClass"; readonly name: string }
  | { readonly do: "provision" };

/** Decides about a claim. */
export function planClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const isBound = claim.metadata.annotations?.[boundAnnotation] !== undefined;
  if (isBound) return planBound(claim, view);
  return claim.spec.volumeName ? planRequested(claim, view) : planOpen(claim, view);
}

function planBound(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const lose = (reason: string, message: string): ClaimPlan => ({
    do: "lose",
    event: { type: "Warning", reason, message },
  });
  const { volumeName } = claim.spec;
  if (!volumeName) {
    const message =
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
    return lose("ClaimLost", message);
  }
  const volume = view.findVolume(volumeName);
  if (!volume) {
    return lose(
      "ClaimLost",
      "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  }
  const { claimRef } = volume.spec;
  if (!claimRef || claimRef.uid === claim.metadata.uid) return { do: "bind", volume };
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  return lose("ClaimMisbound", message);
}

/** Plans a claim that requests a volume by name. */
function planRequested(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const name = claim.spec.volumeName ?? "";
  const volume = view.findVolume(name);
  if (!volume) return { do: "wait" };
  if (hasClaimRefTo(volume, claim)) return { do: "bind", volume };
  if (volume.spec.claimRef) {
    const message = `volume "${name}" already bound to a different claim.`;
    return { do: "wait", event: { type: "Warning", reason: "FailedBinding", message } };
  }
  const problem = findMismatch(volume, claim);
  if (problem === undefined) return { do: "bind", volume };
  const message = `Cannot bind to requested volume "${name}": ${problem}`;
  return { do: "wait", event: { type: "Warning", reason: "VolumeMismatch", message } };
}

function findMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp) {
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  }
  if (volumeCapacity(volume).compare(requestedStorage(claim)) < 0) {
    return "requested PV is too small";
  }
  if (volumeClass(volume) !== claimClass(claim)) return "storageClassName does not match";
  if (!hasSameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (!hasSameMode(volume, claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Plans a claim that accepts any fitting volume. */
function planOpen(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const { storageClass, defaultClass } = view;
  const isDelayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = findBest(claim, view.candidates, isDelayed);
  if (volume) return { do: "bind", volume };
  if (!hasClass(claim) && defaultClass?.metadata.name) {
    return { do: "setClass", name: defaultClass.metadata.name };
  }
  if (isDelayed && claim.metadata.annotations?.[selectedNodeAnnotation] === undefined) {
    return { do: "wait", event: whyDelayed(view.waitingPods) };
  }
  if (claimClass(claim) !== "") return { do: "provision" };
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { do: "wait", event: { type: "Normal", reason: "FailedBinding", message } };
}

const hasClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined ||
  spec.storageClassName !== undefined;

/** Volumes with the fewest unneeded access modes are first. */
function findBest(
  claim: PersistentVolumeClaim,
  candidates: readonly PersistentVolume[],
  claimRefOnly: boolean,
): PersistentVolume | undefined {
  const modesOf = ({ spec }: PersistentVolume): number => new Set(spec.accessModes).size;
  const fitting = candidates.filter((volume) => hasAccessModes(volume, claim));
  const sizes = [...new Set(fitting.map(modesOf))].sort((a, b) => a - b);
  for (const size of sizes) {
    const volumes = fitting.filter((volume) => modesOf(volume) === size);
    const found = findMatchingVolume(claim, volumes, { claimRefOnly });
    if (found) return found;
  }
  return undefined;
}

function whyDelayed(waitingPods: readonly string[]): PlannedEvent {
  const [first] = waitingPods;
  if (first === undefined) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const who = waitingPods.length === 1 ? `pod ${first}` : `pods ${waitingPods.join(",")}`;
  const message = `waiting for ${who} to be scheduled`;
  return { type: "Normal", reason: "WaitForPodScheduled", message };
}
