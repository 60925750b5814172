import type { Node } from "#/api/core/v1.ts";
import { addressAt, type Cidr, formatCidr, network, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, isGlobalUnicast, parseIp } from "#/std/net/ip.ts";

/** The properties of a node that the pod network uses. */
export interface NetworkNode {
  readonly name: string;
  /** Addresses: at most one of each family. */
  readonly ips: readonly string[];
  /** The networks of its pods. */
  readonly podCidrs: readonly string[];
}

/** The network properties of a Node; undefined until it has addresses and networks. */
export function networkNode({ metadata, spec, status }: Node): NetworkNode | undefined {
  const cidrs = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  const podCidrs = cidrs.flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr ? [formatCidr(network(cidr))] : [];
  });
  const internal = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  const ips = internal.map(({ address }) => address).filter(isMachineAddress);
  if (podCidrs.length === 0 || ips.length === 0) return undefined;
  return { name: metadata.name ?? "", ips, podCidrs };
}

/** A node writes its addresses itself: one that no machine has would make the kernel refuse the routes. */
function isMachineAddress(text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && isGlobalUnicast(ip);
}

/** The address of the node's bridge in a pod network: the first. */
export function gatewayOf(podCidr: string): string {
  return formatIp(addressAt(getCidr(podCidr), 1));
}

/** The tunnel address of a node: the base address of its pod network, which no pod can have. */
export function tunnelAddress(podCidr: string): string {
  return formatIp(network(getCidr(podCidr)).ip);
}

/** The hardware address of a node in the tunnel, derived from its address. */
export function tunnelMac(ip: string): string {
  const value = parseIp(ip)?.value ?? 0n;
  const bytes = Array.from({ length: 4 }, (_, index) => (value >> BigInt(8 * (3 - index))) & 255n);
  return ["0a", "6b", ...bytes.map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

/** The node's address of the family of a network. */
export function addressFor(node: NetworkNode, podCidr: string): string | undefined {
  return node.ips.find((ip) => isIpv6(ip) === isIpv6(podCidr));
}

export function isIpv6(text: string): boolean {
  return text.includes(":");
}

function getCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is no network`);
  return cidr;
}
