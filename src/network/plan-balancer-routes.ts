import type { Node, Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { type Cidr, cidrContains } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { compareText } from "#/std/text/compare-text.ts";
import type { BalancerObjects } from "./follow-balancers.ts";

/** A route to a load balancer by way of a node that has Pods of it. */
export interface BalancerRoute {
  readonly address: string;
  /** The node's address. */
  readonly via: string;
}

/**
 * The routes to load balancers whose connections stay on the node that they arrive at: that must be one with Pods. IPv4
 * only, like the networks between a machine and its nodes.
 */
export function planBalancerRoutes(
  { services, slices, nodes }: BalancerObjects,
  pools: readonly Cidr[],
): BalancerRoute[] {
  const addresses = new Map(nodes.map((node) => [node.metadata.name ?? "", internalIp(node)]));
  return services.filter(isLocal).flatMap((service) => {
    const via = mostFrequent(nodesOf(service, slices).flatMap((name) => addresses.get(name) ?? []));
    if (via === undefined) return [];
    return (service.status?.loadBalancer?.ingress ?? [])
      .flatMap(({ ip }) => ip ?? [])
      .filter((address) => isInPool(address, pools))
      .map((address) => ({ address, via }));
  });
}

/** A route of the kernel, as `ip -j route` shows it. */
export interface ListedRoute {
  readonly dst: string;
  readonly gateway?: string;
}

/** The routes to add, and the addresses whose routes are to be removed: other clusters of the machine have pools of their own. */
export function planRouteChanges(
  wanted: readonly BalancerRoute[],
  listed: readonly ListedRoute[],
  pools: readonly Cidr[],
): { readonly added: readonly BalancerRoute[]; readonly removed: readonly string[] } {
  const found = new Map(listed.map(({ dst, gateway }) => [dst, gateway]));
  const kept = new Set(wanted.map(({ address }) => address));
  return {
    added: wanted.filter(({ address, via }) => found.get(address) !== via),
    removed: [...found.keys()].filter((dst) => !kept.has(dst) && isInPool(dst, pools)),
  };
}

const isLocal = ({ spec }: Service): boolean =>
  spec?.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

/**
 * One node gets all connections of a load balancer, so that the proxy's session affinity applies: the one with the most
 * Pods, the first by its address of several.
 */
function mostFrequent(items: readonly string[]): string | undefined {
  const counts = [...Map.groupBy(items, (item) => item)].map(
    ([item, all]) => [item, all.length] as const,
  );
  return counts.sort(([a, x], [b, y]) => y - x || compareText(a, b))[0]?.[0];
}

/** Names of nodes with Pods of a Service that serve. */
export function nodesOf({ metadata }: Service, slices: readonly EndpointSlice[]): string[] {
  return slices
    .filter(
      (slice) =>
        slice.metadata.namespace === metadata.namespace &&
        slice.metadata.labels?.["kubernetes.io/service-name"] === metadata.name,
    )
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ nodeName }) => nodeName ?? []);
}

function internalIp({ status }: Node): string | undefined {
  const found = status?.addresses?.find(({ type, address }) => {
    return type === "InternalIP" && parseIp(address)?.family === 4;
  });
  return found?.address;
}

function isInPool(address: string, pools: readonly Cidr[]): boolean {
  const ip = parseIp(address);
  return ip?.family === 4 && pools.some((pool) => cidrContains(pool, ip));
}
