import type { ObservedPod } from "../state/observed-pod.ts";
import type { NodeAccess } from "../state/pod-services.ts";
import type { PodCertificates } from "./pod-certificates.ts";
import type { VolumeContents } from "./projected-payload.ts";
import type { ReferencedObjects } from "./referenced-objects.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import type { TrustBundles } from "./trust-bundles.ts";

interface VolumeContentsOptions {
  readonly objects: Pick<ReferencedObjects, "getConfigMap" | "getSecret">;
  readonly tokens: Pick<ServiceAccountTokens, "get">;
  readonly bundles: Pick<TrustBundles, "get">;
  readonly certificates: Pick<PodCertificates, "get">;
  readonly node: Pick<NodeAccess, "node" | "hostIPs">;
  readonly observed: { get(podUID: string): ObservedPod | undefined };
}

/** The content of files, from the API server and from the known data of the pod and the node. */
export function volumeContents(options: VolumeContentsOptions): VolumeContents {
  const { objects, tokens, bundles, certificates, node, observed } = options;
  return {
    getConfigMap: (namespace, name) => objects.getConfigMap(namespace, name),
    getSecret: (namespace, name) => objects.getSecret(namespace, name),
    getToken: async (subject) => (await tokens.get(subject)).status?.token ?? "",
    getTrustAnchors: (projection) => bundles.get(projection),
    getPodCertificate: (pod, volume, source, projection) =>
      certificates.get(pod, volume, source, projection),
    facts: ({ metadata }) => ({
      hostIPs: node.hostIPs(),
      podIPs: observed.get(metadata.uid ?? "")?.ips ?? [],
      allocatable: node.node().status?.allocatable ?? {},
    }),
  };
}
