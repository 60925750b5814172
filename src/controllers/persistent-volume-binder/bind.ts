/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go (bind, updateClaimStatus, unbindVolume). */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  type PersistentVolumeStatus,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { boundByController, withClaimRefTo } from "#/machinery/volumes/match-volume.ts";
import { boundAnnotation } from "#/machinery/volumes/volume-claims.ts";

type Context = Pick<ControllerContext, "client">;
type VolumePhase = NonNullable<PersistentVolumeStatus["phase"]>;
type ClaimPhase = NonNullable<PersistentVolumeClaimStatus["phase"]>;

/** The capacity of a volume before its expansion, until its file system is expanded. */
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/**
 * Binds volume and claim to each other, if they aren't: the volume first, so that no other claim
 * gets it.
 */
export async function bind(
  given: PersistentVolume,
  claim: PersistentVolumeClaim,
  context: Context,
): Promise<void> {
  const { client } = context;
  const meant = withClaimRefTo(given, claim);
  const named = meant === given ? given : await client.update(persistentVolumes, meant);
  const volume = await setVolumePhase(named, "Bound", context);
  const desired = boundTo(claim, volume);
  const bound = desired === claim ? claim : await client.update(persistentVolumeClaims, desired);
  await setClaimPhase(bound, "Bound", volume, context);
}

/** The claim in bound state; the same object if it is bound already. */
function boundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { annotations = {} } = claim.metadata;
  const isNew = claim.spec.volumeName !== volume.metadata.name;
  if (!isNew && annotations[boundAnnotation] !== undefined) return claim;
  const added = {
    ...(isNew ? { [boundByController]: "yes" } : {}),
    [boundAnnotation]: "yes",
  };
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...added, ...annotations } },
    spec: { ...claim.spec, volumeName: volume.metadata.name ?? "" },
  };
}

/** Writes the phase of a volume, if it differs. */
export async function setVolumePhase(
  volume: PersistentVolume,
  phase: VolumePhase,
  { client }: Context,
  message = "",
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...rest } = volume.status ?? {};
  const status = { ...rest, phase, ...(message === "" ? {} : { message }) };
  return await client.updateStatus(persistentVolumes, { ...volume, status });
}

/** Writes the phase of a claim, and the properties of its volume. */
export async function setClaimPhase(
  claim: PersistentVolumeClaim,
  phase: ClaimPhase,
  volume: PersistentVolume | undefined,
  { client }: Context,
): Promise<void> {
  const status = claimStatus(claim, phase, volume);
  if (deepEqual(status, claim.status ?? {})) return;
  await client.updateStatus(persistentVolumeClaims, { ...claim, status });
}

/** The status of a claim with this volume, or with none. */
function claimStatus(
  { status = {} }: PersistentVolumeClaim,
  phase: ClaimPhase,
  volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus {
  const { accessModes: _, capacity, currentVolumeAttributesClassName, ...rest } = status;
  if (!volume) return { ...rest, phase };
  const { accessModes, volumeAttributesClassName } = volume.spec;
  // Later, capacity and attributes are set by those controllers that change them.
  const isNew = status.phase !== phase;
  const size = isNew ? newCapacity(volume) : capacity;
  const attributes =
    isNew && status.phase === "Pending"
      ? volumeAttributesClassName
      : currentVolumeAttributesClassName;
  return {
    ...rest,
    phase,
    ...(accessModes ? { accessModes } : {}),
    ...(size ? { capacity: size } : {}),
    ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
  };
}

function newCapacity({ metadata, spec }: PersistentVolume): Record<string, string> {
  const before = metadata.annotations?.[preResizeCapacity];
  return before === undefined ? { ...spec.capacity } : { storage: before };
}

/** Removes the binding of a volume; a reservation by a user stays. */
export async function unbind(volume: PersistentVolume, context: Context): Promise<void> {
  const { claimRef, ...spec } = volume.spec;
  const { [boundByController]: isOurs, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _, ...reserved } = claimRef ?? {};
  const open: PersistentVolume =
    isOurs === undefined
      ? { ...volume, spec: { ...spec, claimRef: reserved } }
      : { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  const written = await context.client.update(persistentVolumes, open);
  await setVolumePhase(written, "Available", context);
}
