import type { Endpoint } from "./endpoint.ts";
import {
  externallyAccessible,
  type ServicePort,
  usesClusterEndpoints,
  usesLocalEndpoints,
} from "./service-port.ts";

/** Where this node is, for endpoints that are meant for some nodes or zones. */
export interface Topology {
  readonly nodeName: string;
  readonly zone: string | undefined;
}

/** Which endpoints the traffic of a service port goes to, whatever programs the kernel. */
export interface Routing {
  /** For traffic of policy Cluster. */
  readonly cluster: readonly Endpoint[];
  /** For traffic of policy Local. */
  readonly local: readonly Endpoint[];
  /** Both together, each once. */
  readonly reachable: readonly Endpoint[];
  /** Whether any node has an endpoint that can be used. */
  readonly hasEndpoints: boolean;
  /** Whether traffic to the cluster IP finds an endpoint. */
  readonly hasInternal: boolean;
  /** Whether traffic from outside to node ports, external and load balancer IPs finds one. */
  readonly hasExternal: boolean;
  /** Whether traffic to those addresses is taken at all: from this node and its pods it may be. */
  readonly usesExternal: boolean;
}

/**
 * Decides where the traffic of a service port goes, as seen from one node. Ready endpoints are
 * preferred; where there are none, those that terminate but still serve are used.
 * Upstream: pkg/proxy/topology.go.
 */
export function planRouting(
  port: ServicePort,
  endpoints: readonly Endpoint[],
  topology: Topology,
): Routing {
  const cluster = usesClusterEndpoints(port) ? clusterEndpoints(endpoints, topology) : [];
  const local = usesLocalEndpoints(port) ? usable(endpoints.filter((each) => each.local)) : [];
  const hasEndpoints =
    cluster.length > 0 || (usesLocalEndpoints(port) && usable(endpoints).length > 0);
  return {
    cluster,
    local,
    reachable: [...new Set([...cluster, ...local])],
    hasEndpoints,
    hasInternal: hasEndpoints && (!port.internalLocal || local.length > 0),
    hasExternal: hasEndpoints && (!port.externalLocal || local.length > 0),
    usesExternal: hasEndpoints && externallyAccessible(port),
  };
}

function clusterEndpoints(endpoints: readonly Endpoint[], topology: Topology): Endpoint[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  return ready.length > 0 ? nearest(ready, topology) : usable(endpoints);
}

/** Endpoints meant for this node, or else this zone, if every endpoint says whom it is for. */
function nearest(ready: Endpoint[], { nodeName, zone }: Topology): Endpoint[] {
  if (ready.every(({ nodeHints }) => nodeHints.length > 0)) {
    const near = ready.filter(({ nodeHints }) => nodeHints.includes(nodeName));
    if (near.length > 0) return near;
  }
  if (zone !== undefined && ready.every(({ zoneHints }) => zoneHints.length > 0)) {
    const near = ready.filter(({ zoneHints }) => zoneHints.includes(zone));
    if (near.length > 0) return near;
  }
  return ready;
}

function usable(endpoints: readonly Endpoint[]): Endpoint[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  if (ready.length > 0) return ready;
  return endpoints.filter(({ serving, terminating }) => serving && terminating);
}
