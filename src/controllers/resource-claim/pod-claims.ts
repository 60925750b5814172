/**
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim,
 * pkg/controller/resourceclaim/controller.go.
 */
import type { Pod, PodResourceClaim } from "#/api/core/v1.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "#/api/resource/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";

/** Annotation with the name of the Pod's claim for which a ResourceClaim was made. */
const annotation = "resource.kubernetes.io/pod-claim-name";
/** Limit of the name prefix, which leaves room for a hyphen and five characters in a name of 63. */
const maxPrefix = 57;

/** The name of a Pod's ResourceClaim; undefined if it doesn't exist yet, "" if none is needed. */
export function claimNameOf({ status }: Pod, claim: PodResourceClaim): string | undefined {
  if (claim.resourceClaimName !== undefined) return claim.resourceClaimName;
  const claimStatus = status?.resourceClaimStatuses?.find(({ name }) => name === claim.name);
  return claimStatus && (claimStatus.resourceClaimName ?? "");
}

/**
 * Whether a ResourceClaim was made for this Pod (by uid), and for the claim of that name if one is
 * given.
 */
export function isForPod({ metadata }: ResourceClaim, pod: Pod, podClaim?: string): boolean {
  const isOwned = (metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  );
  return isOwned && (podClaim === undefined || metadata.annotations?.[annotation] === podClaim);
}

/** The ResourceClaim of a Pod, from a template. */
export function claimForPod(
  pod: Pod,
  podClaim: string,
  { spec }: ResourceClaimTemplate,
): ResourceClaim {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const { labels, annotations } = spec.metadata ?? {};
  return deepCopy({
    metadata: {
      generateName: prefixOf(name, podClaim),
      namespace,
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
      annotations: { ...annotations, [annotation]: podClaim },
      ...(labels ? { labels } : {}),
    },
    spec: spec.spec,
  });
}

/** Both names, each shortened in proportion if they are too long. */
function prefixOf(pod: string, podClaim: string): string {
  const full = `${pod}-${podClaim}-`;
  if (full.length <= maxPrefix) return full;
  const part = (text: string): string =>
    text.slice(0, Math.floor((text.length * maxPrefix) / full.length));
  return `${part(pod)}-${part(podClaim)}`;
}
