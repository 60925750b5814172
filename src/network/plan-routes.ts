import { type Cidr, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { addressFor, isIpv6, type NetworkNode, tunnelAddress, tunnelMac } from "./network-node.ts";

export type NetworkBackend = "auto" | "direct" | "vxlan";

/** A way to the pods of another node. */
export interface PodRoute {
  readonly destination: string;
  readonly via: string;
  /** Through the tunnel; otherwise the other node is a neighbour on some link. */
  readonly tunnel?: {
    /** Where packets in the tunnel are sent to. */
    readonly remote: string;
    readonly mac: string;
  };
}

export interface RouteOptions {
  readonly backend: NetworkBackend;
  /** The networks whose hosts are neighbours. */
  readonly linkNetworks: readonly Cidr[];
}

/** A link, as `ip -j addr` lists it. */
export interface ListedLink {
  readonly ifname: string;
  readonly mtu: number;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

/**
 * The networks in which the node's own address is: a host there finds it to be a neighbour, too. One on another link of the
 * machine, such as a node in a network namespace, answers through the tunnel. IPv6 has no tunnel, hence no choice.
 */
export function neighbourNetworks(links: readonly ListedLink[], { ips }: NetworkNode): Cidr[] {
  return links
    .flatMap(({ addr_info }) => addr_info)
    .filter(({ local }) => isIpv6(local) || ips.includes(local))
    .flatMap(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`) ?? []);
}

/** The ways to the pods of all other nodes. IPv6 only goes without the tunnel. */
export function planRoutes(
  self: string,
  nodes: readonly NetworkNode[],
  options: RouteOptions,
): PodRoute[] {
  return nodes
    .filter(({ name }) => name !== self)
    .flatMap((node) => node.podCidrs.flatMap((cidr) => routeTo(node, cidr, options) ?? []));
}

function routeTo(
  node: NetworkNode,
  destination: string,
  { backend, linkNetworks }: RouteOptions,
): PodRoute | undefined {
  const ip = addressFor(node, destination);
  const parsed = ip === undefined ? undefined : parseIp(ip);
  if (ip === undefined || !parsed) return undefined;
  const isNeighbour = linkNetworks.some((cidr) => cidrContains(cidr, parsed));
  if (backend === "direct" || (backend === "auto" && isNeighbour)) return { destination, via: ip };
  if (parsed.family === 6) return undefined;
  const via = tunnelAddress(destination);
  return { destination, via, tunnel: { remote: ip, mac: tunnelMac(ip) } };
}
