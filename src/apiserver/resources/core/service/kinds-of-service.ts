import type { Service } from "#/api/core/v1.ts";

/**
 * What follows from a Service's type.
 *
 * Upstream: pkg/api/service/util.go, pkg/registry/core/service/storage/storage.go.
 */
type ServiceLike = Pick<Service, "spec">;

/** A Service without an address of its own: clients get those of its endpoints. */
export const isHeadless = ({ spec }: ServiceLike): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";

export const needsClusterIP = ({ spec }: ServiceLike): boolean => spec.type !== "ExternalName";

/** Whether clients outside the cluster can reach it. */
export const isExternallyAccessible = ({ spec }: ServiceLike): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);

/** Whether load balancers must find out which nodes have endpoints. */
export const needsHealthCheck = ({ spec }: ServiceLike): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

/** Whether its type has node ports at all. */
export const hasNodePorts = ({ spec }: ServiceLike): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";

/** Whether it wants a node port for each of its ports. */
export const wantsNodePorts = ({ spec }: ServiceLike): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

/** Whether two lists are the same, item by item; absent ones are empty. */
export function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
