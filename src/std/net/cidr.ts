/** Upstream: Go's netip.ParsePrefix and net.ParseCIDR; k8s.io/utils/net. */
import { formatIp, type Ip, ipBits, type ParseIpOptions, parseIp, sameIp, unmapIp } from "./ip.ts";

/** An address with the length of its network's prefix, as in `10.0.0.1/24`. */
export interface Cidr {
  readonly ip: Ip;
  readonly prefixLength: number;
}

/** Parses a CIDR, strictly. The address may have bits after the prefix; see network(). */
export function parseCidr(text: string, options: ParseIpOptions = {}): Cidr | undefined {
  const slash = text.lastIndexOf("/");
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash), options);
  const length = text.slice(slash + 1);
  const wellFormed = options.sloppy ? /^\d{1,5}$/ : /^(0|[1-9]\d{0,2})$/;
  if (!ip || !wellFormed.test(length) || Number(length) > ipBits(ip.family)) return undefined;
  return { ip, prefixLength: Number(length) };
}

export function formatCidr({ ip, prefixLength }: Cidr): string {
  return `${formatIp(ip)}/${prefixLength}`;
}

/** The CIDR of the network itself: all bits after the prefix are zero. */
export function network({ ip, prefixLength }: Cidr): Cidr {
  const hostBits = BigInt(ipBits(ip.family) - prefixLength);
  return { ip: { family: ip.family, value: (ip.value >> hostBits) << hostBits }, prefixLength };
}

/** Whether no bit after the prefix is set. */
export function isCanonical(cidr: Cidr): boolean {
  return sameIp(cidr.ip, network(cidr).ip);
}

/** Number of addresses of the network. */
export function cidrSize({ ip, prefixLength }: Cidr): bigint {
  return 1n << BigInt(ipBits(ip.family) - prefixLength);
}

/**
 * Whether an address belongs to the network. One of the other family never does; an IPv4-mapped one is of IPv4, unless
 * the network is one of mapped addresses.
 */
export function cidrContains(cidr: Cidr, address: Ip): boolean {
  const ip = cidr.ip.family === 4 ? unmapIp(address) : address;
  if (cidr.ip.family !== ip.family) return false;
  const hostBits = BigInt(ipBits(ip.family) - cidr.prefixLength);
  return cidr.ip.value >> hostBits === ip.value >> hostBits;
}

/** Whether two networks have an address in common, in which case one contains the other. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  const [wide, narrow] = a.prefixLength <= b.prefixLength ? [a, b] : [b, a];
  return cidrContains(wide, narrow.ip);
}

/** The address at an index, from 0; a negative index counts from the end, -1 being the last. */
export function addressAt(cidr: Cidr, index: bigint | number): Ip {
  const size = cidrSize(cidr);
  const offset = BigInt(index) < 0n ? size + BigInt(index) : BigInt(index);
  if (offset < 0n || offset >= size) {
    throw new RangeError(`${formatCidr(cidr)} has no address ${index}`);
  }
  const { ip } = network(cidr);
  return { family: ip.family, value: ip.value + offset };
}

/** The subnet of a given prefix length at an index, from 0: how nodes get their pod CIDRs. */
export function subnetAt(cidr: Cidr, prefixLength: number, index: bigint | number): Cidr {
  const { family, value } = network(cidr).ip;
  const bits = ipBits(family);
  const offset = BigInt(index);
  const inRange = prefixLength >= cidr.prefixLength && prefixLength <= bits && offset >= 0n;
  if (!inRange || offset >> BigInt(prefixLength - cidr.prefixLength) !== 0n) {
    throw new RangeError(`${formatCidr(cidr)} has no /${prefixLength} subnet ${index}`);
  }
  const ip = { family, value: value + (offset << BigInt(bits - prefixLength)) };
  return { ip, prefixLength };
}
