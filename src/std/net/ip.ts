/** Upstream: Go's net/netip and net.ParseIP; k8s.io/utils/net for the sloppy form. */

/** An IP address, without a zone. */
export interface Ip {
  readonly family: 4 | 6;
  /** The address as a number of 32 or 128 bits. */
  readonly value: bigint;
}

export interface ParseIpOptions {
  /** Accepts leading zeros in IPv4 numbers (read as decimal), as old API fields require. */
  readonly sloppy?: boolean;
}

/**
 * The text of an address, strictly: no leading zeros, no zone, no spaces. An IPv4-mapped IPv6 address remains IPv6:
 * that is for rules about the text itself; for its meaning there is parseNetIp().
 */
export function parseIp(text: string, options: ParseIpOptions = {}): Ip | undefined {
  const family = text.includes(":") ? 6 : 4;
  const value = family === 6 ? parseIpv6(text, options) : parseIpv4(text, options);
  return value === undefined ? undefined : { family, value };
}

/** The address that a text means: an IPv4-mapped one is that of IPv4, as for Go's net.ParseIP and for the kernel. */
export function parseNetIp(text: string, options: ParseIpOptions = {}): Ip | undefined {
  const ip = parseIp(text, options);
  return ip && unmapIp(ip);
}

/** `1.2.3.4` for `::ffff:1.2.3.4`; any other address unchanged. */
export function unmapIp(ip: Ip): Ip {
  if (ip.family === 4 || ip.value >> 32n !== 0xffffn) return ip;
  return { family: 4, value: ip.value & 0xffff_ffffn };
}

/** The canonical form: RFC 5952 for IPv6. */
export function formatIp({ family, value }: Ip): string {
  if (family === 4) return formatIpv4(value);
  if (value >> 32n === 0xffffn) return `::ffff:${formatIpv4(value & 0xffff_ffffn)}`;
  const groups = Array.from({ length: 8 }, (_, index) => {
    return ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16);
  });
  return compressZeros(groups);
}

/** Number of bits of an address. */
export function ipBits(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128;
}

export function sameIp(a: Ip, b: Ip): boolean {
  return a.family === b.family && a.value === b.value;
}

/** 127.0.0.0/8 or ::1. As the other rules below, of the address that a mapped one means. */
export function isLoopback(address: Ip): boolean {
  const ip = unmapIp(address);
  return ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n;
}

/** Go's IsGlobalUnicast: of a machine somewhere, private networks included. */
export function isGlobalUnicast(address: Ip): boolean {
  const ip = unmapIp(address);
  if (ip.family === 4 && ip.value === 0xffff_ffffn) return false;
  return !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip);
}

/** 0.0.0.0 or ::. */
export function isUnspecified(ip: Ip): boolean {
  return unmapIp(ip).value === 0n;
}

/** 169.254.0.0/16 or fe80::/10. */
export function isLinkLocal(address: Ip): boolean {
  const ip = unmapIp(address);
  return ip.family === 4 ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0x3fan;
}

/** 224.0.0.0/4 or ff00::/8. */
function isMulticast(address: Ip): boolean {
  const ip = unmapIp(address);
  return ip.family === 4 ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn;
}

function parseIpv4(text: string, { sloppy }: ParseIpOptions): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!(sloppy ? /^\d{1,10}$/ : /^(0|[1-9]\d{0,2})$/).test(part)) return undefined;
    const byte = Number(part);
    if (byte > 255) return undefined;
    value = value * 256 + byte;
  }
  return BigInt(value);
}

function parseIpv6(text: string, options: ParseIpOptions): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const head = parseGroups(left ?? [], right === undefined, options);
  const tail = parseGroups(right ?? [], true, options);
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** Groups of 16 bits; the last one may be an IPv4 address, which counts as two. */
function parseGroups(
  texts: readonly string[],
  mayEndInIpv4: boolean,
  options: ParseIpOptions,
): number[] | undefined {
  const groups: number[] = [];
  for (const [index, text] of texts.entries()) {
    if (mayEndInIpv4 && index === texts.length - 1 && text.includes(".")) {
      const value = parseIpv4(text, options);
      if (value === undefined) return undefined;
      groups.push(Number(value >> 16n), Number(value & 0xffffn));
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(text)) return undefined;
      groups.push(Number.parseInt(text, 16));
    }
  }
  return groups;
}

function formatIpv4(value: bigint): string {
  const number = Number(value);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

/** Replaces the first of the longest runs of two or more zeros by `::`. */
function compressZeros(groups: readonly string[]): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(":");
  const head = groups.slice(0, best.start).join(":");
  return `${head}::${groups.slice(best.start + best.length).join(":")}`;
}
