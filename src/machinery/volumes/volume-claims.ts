import type { PersistentVolumeClaim, Pod, Volume } from "#/api/core/v1.ts";
import { isControlledBy } from "../meta/owner-references.ts";

/** On a claim: it has found its volume. */
export const boundAnnotation = "pv.kubernetes.io/bind-completed";
/** On a claim: for which node a volume is to be made. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

/** A volume of a pod that comes from a claim. */
interface ClaimedVolume {
  readonly claimName: string;
  /** The claim is made for the pod and goes with it. */
  readonly ephemeral: boolean;
}

/** The claim that a volume comes from, if it does. */
export function claimedVolume(
  pod: Pod,
  { name, persistentVolumeClaim, ephemeral }: Volume,
): ClaimedVolume | undefined {
  if (persistentVolumeClaim) {
    return { claimName: persistentVolumeClaim.claimName, ephemeral: false };
  }
  if (!ephemeral) return undefined;
  return { claimName: `${pod.metadata.name ?? ""}-${name}`, ephemeral: true };
}

/** All volumes of a pod that come from claims. */
export function claimedVolumes(pod: Pod): readonly ClaimedVolume[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimedVolume(pod, volume) ?? []);
}

/** Whether a pod uses a claim. */
export function usesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false;
  return claimedVolumes(pod).some(({ claimName }) => claimName === metadata.name);
}

/** What is said of a claim that isn't there. */
export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;

/** Why a claim is not the one that was made for a pod's ephemeral volume. */
export function foreignClaimProblem(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const owner = { metadata: { name, uid } };
  if (claim.metadata.namespace === namespace && isControlledBy(claim, owner)) return undefined;
  const claimKey = `${claim.metadata.namespace ?? ""}/${claim.metadata.name ?? ""}`;
  return `PVC ${claimKey} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** The class that a claim asks for; "" for none. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string {
  const annotation = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? spec?.storageClassName ?? "";
}

/** Whether claim and volume have found each other. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[boundAnnotation] !== undefined;
}
