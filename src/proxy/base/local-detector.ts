import { formatCidr } from "#/std/net/cidr.ts";
import { type IpFamily, networksOf } from "./ip-family.ts";

/** How to match packets from pods of this cluster (or node), for both kinds of rules. */
export interface LocalDetector {
  readonly iptables: { readonly local: string; readonly notLocal: string };
  readonly nftables: { readonly local: string; readonly notLocal: string };
}

export type DetectLocalMode =
  | "ClusterCIDR"
  | "NodeCIDR"
  | "BridgeInterface"
  | "InterfaceNamePrefix";

interface DetectLocalOptions {
  readonly mode: DetectLocalMode;
  readonly clusterCIDRs: readonly string[];
  readonly podCIDRs: readonly string[];
  readonly bridgeInterface: string;
  readonly interfaceNamePrefix: string;
}

/** The detector for one family; undefined if local traffic can't be distinguished. */
export function localDetector(
  family: IpFamily,
  options: DetectLocalOptions,
): LocalDetector | undefined {
  switch (options.mode) {
    case "ClusterCIDR":
      return byCidr(family, options.clusterCIDRs);
    case "NodeCIDR":
      return byCidr(family, options.podCIDRs);
    case "BridgeInterface":
      return byInterface(options.bridgeInterface, options.bridgeInterface);
    case "InterfaceNamePrefix":
      return byInterface(`${options.interfaceNamePrefix}+`, `${options.interfaceNamePrefix}*`);
    default:
      return options.mode satisfies never;
  }
}

function byCidr(family: IpFamily, cidrs: readonly string[]): LocalDetector | undefined {
  const [first] = networksOf(family, cidrs);
  if (!first) return undefined;
  const cidr = formatCidr(first);
  const saddr = family === "IPv4" ? "ip saddr" : "ip6 saddr";
  return {
    iptables: { local: `-s ${cidr}`, notLocal: `! -s ${cidr}` },
    nftables: { local: `${saddr} ${cidr}`, notLocal: `${saddr} != ${cidr}` },
  };
}

function byInterface(iptables: string, nftables: string): LocalDetector {
  return {
    iptables: { local: `-i ${iptables}`, notLocal: `! -i ${iptables}` },
    nftables: { local: `iifname ${nftables}`, notLocal: `iifname != ${nftables}` },
  };
}
