import { type Cidr, network, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, type Ip, parseNetIp } from "#/std/net/ip.ts";

/** The API's names of the IP families. */
export type IpFamily = "IPv4" | "IPv6";

export const ipFamilies = ["IPv4", "IPv6"] as const;

export function otherFamily(family: IpFamily): IpFamily {
  return family === "IPv4" ? "IPv6" : "IPv4";
}

export function familyOfIp(ip: Ip): IpFamily {
  return ip.family === 4 ? "IPv4" : "IPv6";
}

/** Parses an address as old API fields may hold it; undefined if it is invalid. */
export function parseAddress(text: string): Ip | undefined {
  return parseNetIp(text, { sloppy: true });
}

/** Fast path: canonical IPv4 addresses. */
const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** An address in its canonical form; undefined if it is invalid. */
export function canonicalAddress(text: string): string | undefined {
  if (plainIpv4.test(text)) return text;
  const ip = parseAddress(text);
  return ip && formatIp(ip);
}

/** The addresses of one family in their canonical form; others are left out. */
export function addressesOf(family: IpFamily, texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const address = canonicalAddress(text);
    return address && address.includes(":") === (family === "IPv6") ? [address] : [];
  });
}

/** The networks of one family, without host bits; others are left out. */
export function networksOf(family: IpFamily, texts: readonly string[]): Cidr[] {
  return texts.flatMap((text) => {
    const cidr = parseCidr(text.trim(), { sloppy: true });
    return cidr && familyOfIp(cidr.ip) === family ? [network(cidr)] : [];
  });
}

/** `host:port`, with brackets around an IPv6 address. */
export function hostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
