/** Upstream: pkg/kubelet/types/pod_update.go, pkg/kubelet/pod/mirror_client.go. */
import type { Pod } from "#/api/core/v1.ts";

export const sourceAnnotation = "kubernetes.io/config.source";
export const mirrorAnnotation = "kubernetes.io/config.mirror";
export const hashAnnotation = "kubernetes.io/config.hash";
export const seenAnnotation = "kubernetes.io/config.seen";

type PodMeta = Pick<Pod, "metadata">;

/** Whether a pod comes from a file (or URL) and not from the API server. */
export function isStaticPod({ metadata }: PodMeta): boolean {
  const source = metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== "api";
}

/** Whether a pod of the API only stands for a static one. */
export function isMirrorPod({ metadata }: PodMeta): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Namespace and name, by which a static pod and its mirror find each other. */
export function fullName({ metadata }: PodMeta): string {
  return `${metadata.namespace}/${metadata.name}`;
}
