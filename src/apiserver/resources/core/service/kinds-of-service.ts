import type { Service } from "#/api/core/v1.ts";

/**
 * Properties that follow from a Service's type.
 *
 * Upstream: pkg/api/service/util.go, pkg/registry/core/service/storage/storage.go.
 */
type ServiceLike = Pick<Service, "spec">;

/** A Service without a cluster IP: DNS returns the addresses of its endpoints. */
export const isHeadless = ({ spec }: ServiceLike): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";

export const needsClusterIP = ({ spec }: ServiceLike): boolean => spec.type !== "ExternalName";

/** Whether clients outside the cluster can reach it. */
export const isExternallyAccessible = ({ spec }: ServiceLike): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);

/** Whether load balancers need a health check to find the nodes with endpoints. */
export const needsHealthCheck = ({ spec }: ServiceLike): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

/** Whether its type may have node ports. */
export const hasNodePorts = ({ spec }: ServiceLike): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";

/** Whether each of its ports needs a node port. */
export const wantsNodePorts = ({ spec }: ServiceLike): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

/** Whether two lists are equal, item by item; a missing list is empty. */
export function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
