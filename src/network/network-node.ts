import { createHash } from "node:crypto";
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

/** A hardware address, of a node in the tunnel or of its bridge, derived from its address: from a hash of one that is longer. */
export function tunnelMac(ip: string): string {
  const hex = (parseIp(ip)?.value ?? 0n).toString(16);
  const four = isIpv6(ip)
    ? createHash("sha256").update(hex).digest("hex").slice(0, 8)
    : hex.padStart(8, "0");
  return ["0a", "6b", ...(four.match(/../g) ?? [])].join(":");
}

/** The node's end of the tunnel, whose packets are of IPv4 unless the node has no such address. */
export function tunnelLocal({ ips }: NetworkNode): string | undefined {
  return ips.find((ip) => !isIpv6(ip)) ?? ips[0];
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
