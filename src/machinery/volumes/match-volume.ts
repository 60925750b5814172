import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import { compileLabelSelector } from "../meta/label-selector.ts";
import type { Labels } from "../meta/labels.ts";
import { compileNodeSelector } from "../pods/node-affinity.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "../values/quantity.ts";
import { claimClass } from "./volume-claims.ts";

/** On a volume or a claim: it was bound by the controller, not by a user. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The requested storage of a claim. */
export function requestedStorage({ spec }: PersistentVolumeClaim): Quantity {
  const text = spec?.resources?.requests?.["storage"];
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

/** The capacity of a volume. */
export function volumeCapacity({ spec }: PersistentVolume): Quantity {
  const text = spec?.capacity?.["storage"];
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

/** Whether a volume's node affinity allows a node. */
export function volumeFitsNode({ spec }: PersistentVolume, labels: Labels): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || compileNodeSelector(required).matches({ metadata: { labels } });
}

/** Whether a volume's claimRef is this claim. */
export function hasClaimRefTo({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (
    reference?.name !== claim.metadata.name ||
    reference?.namespace !== claim.metadata.namespace
  ) {
    return false;
  }
  return !reference?.uid || reference.uid === claim.metadata.uid;
}

/** Further conditions of a match. */
interface MatchOptions {
  /** Labels of the node that must be able to use the volume; undefined for any node. */
  readonly nodeLabels?: Labels;
  /** Names of volumes that are already used. */
  readonly taken?: ReadonlySet<string>;
  /** Accept only a volume with a claimRef to the claim. */
  readonly claimRefOnly?: boolean;
}

/**
 * The volume for a claim: one with a claimRef to it, else the smallest that matches.
 *
 * Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go (FindMatchingVolume).
 */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { nodeLabels, taken, claimRefOnly = false }: MatchOptions = {},
): PersistentVolume | undefined {
  const wanted = requestedStorage(claim);
  const selector = claim.spec?.selector && compileLabelSelector(claim.spec.selector);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name ?? "")) continue;
    const isReserved = hasClaimRefTo(volume, claim);
    if (volume.spec?.claimRef && !isReserved) continue;
    if (volumeCapacity(volume).compare(wanted) < 0) continue;
    if (!hasSameMode(volume, claim) || !hasSameAttributes(volume, claim)) continue;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    const fits = nodeLabels === undefined || volumeFitsNode(volume, nodeLabels);
    if (isReserved) return fits ? volume : undefined;
    if (!fits || claimRefOnly || volume.status?.phase !== "Available") continue;
    if (selector && !selector.matches(volume.metadata.labels)) continue;
    if (volumeClass(volume) !== claimClass(claim) || !hasAccessModes(volume, claim)) continue;
    if (!smallest || volumeCapacity(smallest).compare(volumeCapacity(volume)) > 0)
      smallest = volume;
  }
  return smallest;
}

/** The class of a volume; "" for none. */
export function volumeClass({ metadata, spec }: PersistentVolume): string {
  const annotation = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? spec?.storageClassName ?? "";
}

/** Whether volume and claim agree on volumeMode. */
export function hasSameMode(
  { spec: volume }: PersistentVolume,
  { spec: claim }: PersistentVolumeClaim,
): boolean {
  return (volume?.volumeMode ?? "Filesystem") === (claim?.volumeMode ?? "Filesystem");
}

/** Whether volume and claim have the same VolumeAttributesClass. */
export function hasSameAttributes(
  { spec: volume }: PersistentVolume,
  { spec: claim }: PersistentVolumeClaim,
): boolean {
  return (volume?.volumeAttributesClassName ?? "") === (claim?.volumeAttributesClassName ?? "");
}

/** Whether a volume has all access modes that a claim requests. */
export function hasAccessModes(
  { spec: volume }: PersistentVolume,
  { spec: claim }: PersistentVolumeClaim,
): boolean {
  return (claim?.accessModes ?? []).every((mode) => volume?.accessModes?.includes(mode) === true);
}

/** The volume with a claimRef to the claim; the same object if it already has it. */
export function withClaimRefTo(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const wasReserved = hasClaimRefTo(volume, claim);
  const isComplete = wasReserved && volume.spec?.claimRef?.uid === uid;
  if (isComplete) return volume;
  const { annotations } = volume.metadata;
  const claimRef = {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const metadata = wasReserved
    ? volume.metadata
    : { ...volume.metadata, annotations: { ...annotations, [boundByController]: "yes" } };
  return { ...volume, metadata, spec: { ...volume.spec, claimRef } };
}

/** Whether volumes of a class can be provisioned for a node. */
export function topologyAllows({ allowedTopologies }: StorageClass, labels: Labels): boolean {
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions: expressions = [] }) => {
    if (expressions.length === 0) return false;
    return expressions.every(({ key, values }) => values.includes(labels[key] ?? ""));
  });
}
