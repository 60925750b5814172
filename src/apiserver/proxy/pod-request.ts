import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { internalError, notFound } from "#/machinery/meta/status-error.ts";
import type { KubeletAddress } from "../outgoing/kubelet-address.ts";
import type { ClusterConnections, ResourceRequest } from "../registry/resource-request.ts";
import type { Decoded } from "../registry/strategy.ts";

/** The pod of a request. */
export async function podOf(
  { exchange, services }: ResourceRequest,
  name: string,
): Promise<Decoded<Pod>> {
  const found = await services.store(pods).get(exchange.info.namespace, name);
  return found.parsed() as Decoded<Pod>;
}

/** Connections into the cluster; throws if the server was started without them. */
export function connectionsOf({ services }: ResourceRequest): ClusterConnections {
  if (!services.connections) throw internalError(new Error("no connections into the cluster"));
  return services.connections;
}

/** The kubelet of a pod's node. A missing node is reported as in upstream: as a missing pod. */
export async function findKubeletOf(
  request: ResourceRequest,
  nodeName: string,
): Promise<KubeletAddress> {
  const store = request.services.store(nodes);
  if (!(await store.find("", nodeName))) throw notFound(request.target.version.handle, nodeName);
  return connectionsOf(request).findKubelet(store, nodeName);
}
