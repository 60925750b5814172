import { type Cidr, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { ClaimedNetworks } from "./claimed-networks.ts";
import { addressFor, isIpv6, type NetworkNode, tunnelAddress, tunnelMac } from "./network-node.ts";

export type NetworkBackend = "auto" | "direct" | "vxlan";

/** A route to the pods of another node. */
export interface PodRoute {
  readonly destination: string;
  readonly via: string;
  /** The route uses the tunnel; if undefined the other node is a neighbour on a link. */
  readonly tunnel?: {
    /** The destination of the tunnel's packets. */
    readonly remote: string;
    readonly mac: string;
  };
}

interface RouteOptions {
  readonly backend: NetworkBackend;
  /** Networks whose hosts are neighbours. */
  readonly linkNetworks: readonly Cidr[];
  /** Networks of all Pods: no route leads elsewhere. Empty if they are not known. */
  readonly clusterNetworks: readonly Cidr[];
}

/** A link in the output of `ip -j addr`. */
export interface ListedLink {
  readonly ifname: string;
  readonly mtu: number;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

/**
 * The networks that contain the node's own address: hosts there have the node as neighbour, too. A
 * host on another link of the machine, such as a node in a network namespace, is reached through
 * the tunnel. IPv6 has no tunnel.
 */
export function neighbourNetworks(links: readonly ListedLink[], { ips }: NetworkNode): Cidr[] {
  return links
    .flatMap(({ addr_info }) => addr_info)
    .filter(({ local }) => isIpv6(local) || ips.includes(local))
    .flatMap(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`) ?? []);
}

/**
 * The routes to the pods of all other nodes, which are given with the oldest first: of two nodes with the same network
 * the older one has it. IPv6 is routed without the tunnel only.
 */
export function planRoutes(
  self: NetworkNode,
  nodes: readonly NetworkNode[],
  options: RouteOptions,
): PodRoute[] {
  const networks = new ClaimedNetworks(options.clusterNetworks);
  const claim = (text: string): boolean => {
    const cidr = parseCidr(text);
    return cidr !== undefined && networks.claim(cidr);
  };
  self.podCidrs.forEach(claim);
  return nodes
    .filter(({ name }) => name !== self.name)
    .flatMap((node) =>
      node.podCidrs.filter(claim).flatMap((cidr) => routeTo(node, cidr, options) ?? []),
    );
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
