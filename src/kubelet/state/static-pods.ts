/** Upstream: pkg/kubelet/types/pod_update.go, pkg/kubelet/pod/mirror_client.go. */
import type { Pod } from "#/api/core/v1.ts";

export const sourceAnnotation = "kubernetes.io/config.source";
export const mirrorAnnotation = "kubernetes.io/config.mirror";
export const hashAnnotation = "kubernetes.io/config.hash";
export const seenAnnotation = "kubernetes.io/config.seen";

type PodMeta = Pick<Pod, "metadata">;

/** Whether a pod is from a file (or URL) and not from the API server. */
export function isStaticPod({ metadata }: PodMeta): boolean {
  const source = metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== "api";
}

/** Whether a pod of the API is the mirror of a static one. */
export function isMirrorPod({ metadata }: PodMeta): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Namespace and name: the common key of a static pod and its mirror. */
export function fullName({ metadata }: PodMeta): string {
  return `${metadata.namespace}/${metadata.name}`;
}
