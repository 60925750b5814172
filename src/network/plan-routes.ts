import { type Cidr, cidrContains } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { addressFor, type NetworkNode, tunnelAddress, tunnelMac } from "./network-node.ts";

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
  /** The networks that this machine's links are in. */
  readonly linkNetworks: readonly Cidr[];
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
