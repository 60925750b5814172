import type { Node } from "#/api/core/v1.ts";
import { addressAt, parseCidr } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";

/**
 * Where a node answers: at the first address of each of its pod networks, which its bridge has. It
 * can't be reached from outside the cluster, and nothing else uses its port 53.
 */
export function dnsAddresses({ spec }: Node): string[] {
  const cidrs = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  return cidrs.flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr ? [formatIp(addressAt(cidr, 1))] : [];
  });
}
