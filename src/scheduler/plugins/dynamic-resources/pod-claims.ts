import type { Pod, PodResourceClaim } from "#/api/core/v1.ts";
import type { ResourceClaim } from "#/api/resource/v1.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import type { Lister } from "../../framework/context.ts";

/** Limit of pods (count) that a claim is reserved for. */
const maxReservations = 256;

/** Why a pod can't use its claims; users see the message. */
export class ClaimProblem extends Error {
  override readonly name = "ClaimProblem";
}

/**
 * The claims of a pod, in order. Throws ClaimProblem.
 *
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go.
 */
export function claimsOfPod(pod: Pod, claims: Pick<Lister<ResourceClaim>, "get">): ResourceClaim[] {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return (pod.spec.resourceClaims ?? []).flatMap((reference) => {
    const { claimName, isGenerated } = nameOf(pod, reference);
    if (claimName === undefined) return [];
    const claim = claims.get(namespace, claimName);
    if (claim === undefined) {
      throw new ClaimProblem(`resourceclaim.resource.k8s.io "${claimName}" not found`);
    }
    if (claim.metadata.deletionTimestamp) {
      throw new ClaimProblem(`resourceclaim "${claimName}" is being deleted`);
    }
    if (isGenerated && !isControlledBy(claim, { metadata: { name, uid } })) {
      throw new ClaimProblem(
        `ResourceClaim ${namespace}/${claimName} was not created for Pod ${namespace}/${name} (Pod is not owner)`,
      );
    }
    return [claim];
  });
}

function nameOf(
  { metadata: { namespace = "", name = "" }, status }: Pod,
  reference: PodResourceClaim,
): { readonly claimName: string | undefined; readonly isGenerated: boolean } {
  const { resourceClaimName, resourceClaimTemplateName } = reference;
  if (resourceClaimName) return { claimName: resourceClaimName, isGenerated: false };
  if (!resourceClaimTemplateName) {
    throw new ClaimProblem(
      `pod "${namespace}/${name}", spec.resourceClaim "${reference.name}": none of the supported fields are set`,
    );
  }
  const found = status?.resourceClaimStatuses?.find((one) => one.name === reference.name);
  if (!found) throw new ClaimProblem(`pod "${namespace}/${name}": ResourceClaim not created yet`);
  return { claimName: found.resourceClaimName, isGenerated: true };
}

/** True if a claim is reserved for a pod. */
export const isReservedFor = ({ status }: ResourceClaim, uid: string): boolean =>
  status?.reservedFor?.some((one) => one.uid === uid) === true;

/** True if a claim can be reserved for one more pod. */
export const canBeReserved = ({ status }: ResourceClaim): boolean =>
  (status?.reservedFor?.length ?? 0) < maxReservations;
