/** Upstream: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go. */
import type { PersistentVolumeClaim, Pod } from "#/api/core/v1.ts";

/** The claim of a volume. */
export interface VolumeClaim {
  readonly name: string;
  /** Whether the claim has to be the Pod's own. */
  readonly ownedByPod: boolean;
  readonly readOnly: boolean;
}

interface ClaimProblem {
  readonly message: string;
  /** Waiting does not help. */
  readonly lasts: boolean;
}

/** Why a Pod can't use a claim; undefined if it can. */
export function claimProblem(
  claim: PersistentVolumeClaim | undefined,
  { name, ownedByPod }: VolumeClaim,
  pod: Pod,
): ClaimProblem | undefined {
  if (!claim) {
    const message = `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
    return { message, lasts: false };
  }
  if (ownedByPod && !isOwner(claim, pod)) {
    const { namespace, name: podName } = pod.metadata;
    const message = `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    return { message, lasts: true };
  }
  if (claim.metadata.deletionTimestamp !== undefined)
    return { message: "PVC is being deleted", lasts: true };
  const isBound = claim.status?.phase === "Bound" && claim.spec.volumeName;
  return isBound ? undefined : { message: "PVC is not bound", lasts: false };
}

function isOwner(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  );
}
