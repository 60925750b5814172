import type { Endpoint } from "./endpoint.ts";
import {
  externallyAccessible,
  type ServicePort,
  usesClusterEndpoints,
  usesLocalEndpoints,
} from "./service-port.ts";

/** The location of this node, for topology hints. */
export interface Topology {
  readonly nodeName: string;
  readonly zone: string | undefined;
}

/** The endpoints of a service port's traffic, independent of the backend. */
export interface Routing {
  /** For traffic of policy Cluster. */
  readonly cluster: readonly Endpoint[];
  /** For traffic of policy Local. */
  readonly local: readonly Endpoint[];
  /** The union of both. */
  readonly reachable: readonly Endpoint[];
  /** Whether any node has a usable endpoint. */
  readonly hasEndpoints: boolean;
  /** Whether traffic to the cluster IP has an endpoint. */
  readonly hasInternal: boolean;
  /** Whether traffic from outside to node ports, external and load balancer IPs has an endpoint. */
  readonly hasExternal: boolean;
  /**
   * Whether traffic to those addresses is accepted at all: from this node and its pods it may be.
   */
  readonly usesExternal: boolean;
}

/**
 * Decides which endpoints get the traffic of a service port, as seen from one node. Ready endpoints
 * are preferred; if there are none, terminating ones that still serve are used.
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

/** Endpoints with a hint for this node, or else for this zone, if every endpoint has hints. */
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
