import type { PersistentVolumeClaim, Pod, Volume } from "#/api/core/v1.ts";
import { isControlledBy } from "../meta/owner-references.ts";

/** On a claim: it is bound to a volume. */
export const boundAnnotation = "pv.kubernetes.io/bind-completed";
/** On a claim: the node for which a volume is provisioned. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

/** A volume of a pod that comes from a claim. */
interface ClaimedVolume {
  readonly claimName: string;
  /** The claim is created for the pod and deleted with it. */
  readonly ephemeral: boolean;
}

/** The claim of a volume; undefined if it has none. */
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

/** All volumes of a pod that have a claim. */
export function claimedVolumes(pod: Pod): readonly ClaimedVolume[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimedVolume(pod, volume) ?? []);
}

/** Whether a pod uses a claim. */
export function usesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false;
  return claimedVolumes(pod).some(({ claimName }) => claimName === metadata.name);
}

/** The message for a claim that does not exist. */
export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;

/** The message if a claim was not created for a pod's ephemeral volume. */
export function foreignClaimProblem(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const owner = { metadata: { name, uid } };
  if (claim.metadata.namespace === namespace && isControlledBy(claim, owner)) return undefined;
  const claimKey = `${claim.metadata.namespace ?? ""}/${claim.metadata.name ?? ""}`;
  return `PVC ${claimKey} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** The class that a claim requests; "" for none. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string {
  const annotation = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? spec?.storageClassName ?? "";
}

/** Whether claim and volume are bound to each other. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[boundAnnotation] !== undefined;
}
