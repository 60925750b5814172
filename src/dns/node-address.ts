import type { Node } from "#/api/core/v1.ts";
import { addressAt, parseCidr } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";

/**
 * The addresses at which a node answers: the first of each of its pod networks, which its bridge
 * has. They can't be reached from outside the cluster, and nothing else uses their port 53.
 */
export function dnsAddresses({ spec }: Node): string[] {
  const cidrs = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  return cidrs.flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr ? [formatIp(addressAt(cidr, 1))] : [];
  });
}
