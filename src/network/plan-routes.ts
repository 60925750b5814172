import { type Cidr, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { ClaimedNetworks } from "./claimed-networks.ts";
import {
  addressFor,
  isIpv6,
  type NetworkNode,
  tunnelAddress,
  tunnelLocal,
  tunnelMac,
} from "./network-node.ts";

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
 * the tunnel.
 */
export function neighbourNetworks(links: readonly ListedLink[], { ips }: NetworkNode): Cidr[] {
  return links
    .flatMap(({ addr_info }) => addr_info)
    .filter(({ local }) => ips.includes(local))
    .flatMap(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`) ?? []);
}

/**
 * The routes to the pods of all other nodes, which are given with the oldest first: of two nodes with the same network
 * the older one has it. The tunnel carries the families of this node's own Pods.
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
      node.podCidrs
        .filter(claim)
        .flatMap((cidr) => directRoute(node, cidr, options) ?? tunnelRoute(self, node, cidr) ?? []),
    )
    .filter(({ tunnel }) => tunnel === undefined || options.backend !== "direct");
}

function directRoute(
  node: NetworkNode,
  destination: string,
  { backend, linkNetworks }: RouteOptions,
): PodRoute | undefined {
  const via = addressFor(node, destination);
  const parsed = via === undefined ? undefined : parseIp(via);
  if (via === undefined || !parsed || backend === "vxlan") return undefined;
  const isNeighbour = linkNetworks.some((cidr) => cidrContains(cidr, parsed));
  return backend === "direct" || isNeighbour ? { destination, via } : undefined;
}

function tunnelRoute(
  self: NetworkNode,
  node: NetworkNode,
  destination: string,
): PodRoute | undefined {
  const local = tunnelLocal(self);
  const remote = local && addressFor(node, local);
  const isCarried = self.podCidrs.some((cidr) => isIpv6(cidr) === isIpv6(destination));
  if (!remote || !isCarried) return undefined;
  const via = tunnelAddress(destination);
  return { destination, via, tunnel: { remote, mac: tunnelMac(remote) } };
}
