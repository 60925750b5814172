import { type Cidr, cidrContains } from "#/std/net/cidr.ts";
import { formatIp, isLoopback, parseNetIp } from "#/std/net/ip.ts";
import { addressesOf, familyOfIp, type IpFamily, networksOf } from "./ip-family.ts";

/** The node's addresses that serve node ports. Upstream: pkg/proxy/util/nodeport_addresses.go. */
export interface NodePortAddresses {
  /** Whether all of them do. */
  readonly all: boolean;
  readonly cidrs: readonly Cidr[];
  /** Whether 127.0.0.0/8 is among them. */
  readonly containsIpv4Loopback: boolean;
}

/** --nodeport-addresses for one family; a family it doesn't name is served on all addresses. */
export function nodePortAddresses(family: IpFamily, cidrs: readonly string[]): NodePortAddresses {
  const own = networksOf(family, cidrs);
  const zero = networksOf(family, ["0.0.0.0/0", "::/0"]);
  const all = own.length === 0 || own.some(({ prefixLength }) => prefixLength === 0);
  const loopback = { family: 4, value: 127n << 24n } as const;
  return {
    all,
    cidrs: all ? zero : own,
    containsIpv4Loopback:
      family === "IPv4" &&
      (all || own.some((cidr) => isLoopback(cidr.ip) || cidrContains(cidr, loopback))),
  };
}

/** Replaces the words `primary`, `localhost` and `all` by networks. */
export function expandAddressWords(
  addresses: readonly string[],
  nodeIps: Readonly<Record<IpFamily, string>>,
): string[] {
  return addresses.flatMap((address) => {
    if (address === "localhost") return ["127.0.0.0/8", "::1/128"];
    if (address === "all") return ["0.0.0.0/0", "::/0"];
    if (address !== "primary") return [address];
    return [nodeIps.IPv4, nodeIps.IPv6].flatMap((text) => {
      const ip = parseNetIp(text);
      if (!ip || isLoopback(ip)) return [];
      return [`${text}/${ip.family === 4 ? 32 : 128}`];
    });
  });
}

/** The machine's addresses that serve node ports. */
export function servingIps(
  family: IpFamily,
  { cidrs }: NodePortAddresses,
  machineIps: readonly string[],
): string[] {
  const own = addressesOf(family, machineIps).flatMap((text) => parseNetIp(text) ?? []);
  const serving = own.filter(
    (ip) => familyOfIp(ip) === family && cidrs.some((cidr) => cidrContains(cidr, ip)),
  );
  return [...new Set(serving.map(formatIp))];
}
