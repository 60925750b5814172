import { masqueradeTable } from "./masquerade.ts";
import { gatewayOf, isIpv6 } from "./network-node.ts";

/** Our table in nft's family of bridges. */
export const guardTable = `bridge ${masqueradeTable}`;

/** The CNI plugin's names of the Pods' links. */
const podLinks = '"veth*"';

/**
 * Input of nft that drops frames in which a Pod claims the address of its gateway: it would get the traffic of its
 * neighbours. Frames of the gateway itself come from the bridge, not from a link.
 */
export function guardCommands(podCidrs: readonly string[]): string {
  const rule = (match: string) =>
    `add rule ${guardTable} prerouting iifname ${podLinks} ${match} drop`;
  const rules = podCidrs
    .map(gatewayOf)
    .flatMap((address) =>
      isIpv6(address)
        ? [rule(`ip6 saddr ${address}`)]
        : [rule(`arp saddr ip ${address}`), rule(`ip saddr ${address}`)],
    );
  return [
    `add table ${guardTable}`,
    `delete table ${guardTable}`,
    `add table ${guardTable}`,
    `add chain ${guardTable} prerouting { type filter hook prerouting priority -300; }`,
    ...rules,
    "",
  ].join("\n");
}

/** Whether the table that nft lists has these rules. */
export function hasGuard(podCidrs: readonly string[], listed: string): boolean {
  return podCidrs.map(gatewayOf).every((address) => listed.includes(`saddr ${address} drop`));
}
