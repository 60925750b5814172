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

/** The ways into the cluster; a server that was started without them can't be asked. */
export function connectionsOf({ services }: ResourceRequest): ClusterConnections {
  if (!services.connections) throw internalError(new Error("no connections into the cluster"));
  return services.connections;
}

/** The kubelet of a pod's node. A node that isn't there is told as upstream does: as if it were a pod. */
export async function findKubeletOf(
  request: ResourceRequest,
  nodeName: string,
): Promise<KubeletAddress> {
  const store = request.services.store(nodes);
  if (!(await store.find("", nodeName))) throw notFound(request.target.version.handle, nodeName);
  return connectionsOf(request).findKubelet(store, nodeName);
}
