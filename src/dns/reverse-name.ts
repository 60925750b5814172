import { formatIp, type Ip } from "#/std/net/ip.ts";

/**
 * The address of a name below in-addr.arpa or ip6.arpa, in its canonical form; undefined if it is
 * incomplete.
 */
export function addressOfReverseName(name: string): string | undefined {
  const ipv4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.in-addr\.arpa$/.exec(name);
  if (ipv4) {
    const bytes = ipv4.slice(1).toReversed().map(Number);
    return bytes.every((byte) => byte < 256) ? bytes.join(".") : undefined;
  }
  const ipv6 = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(name);
  if (!ipv6) return undefined;
  const digits = (ipv6[1] ?? "").replaceAll(".", "");
  const ip: Ip = { family: 6, value: BigInt(`0x${[...digits].reverse().join("")}`) };
  return formatIp(ip);
}
