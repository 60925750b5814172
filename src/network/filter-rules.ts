import type { FilterChain } from "#/std/netfilter/filter-chains.ts";
import { gatewayOf, isIpv6 } from "./network-node.ts";

/**
 * Rules that accept pod traffic in a firewall that drops unknown packets: Docker and ufw set the
 * policy of FORWARD to DROP, ufw that of INPUT, too. Only rules in iptables' own chains help: a
 * packet must pass the chains of every table.
 */
export interface FilterOptions {
  readonly bridge: string;
  /** The networks of this node's pods. */
  readonly podCidrs: readonly string[];
  /** The networks of all pods. */
  readonly clusterCidrs: readonly string[];
}

const forwardChain = "K8TS-FORWARD";
const inputChain = "K8TS-INPUT";

export const filterChainNames = [forwardChain, inputChain];

/** The comment that identifies the jumps to our chains. */
const comment = "k8ts pod network";
/**
 * Our jumps are after those of kube-proxy, whose chains reject and drop packets that we would
 * accept.
 */
const after = "KUBE-";

/** The chains of one family; without rules if the cluster doesn't use it. */
export function filterChains(ip: "ip" | "ip6", options: FilterOptions): FilterChain[] {
  const ofFamily = (cidrs: readonly string[]): string[] =>
    cidrs.filter((cidr) => isIpv6(cidr) === (ip === "ip6"));
  const all = ofFamily(options.clusterCidrs);
  const own = ofFamily(options.podCidrs);
  return [
    {
      name: forwardChain,
      from: "FORWARD",
      comment,
      after,
      rules: all.flatMap((cidr) => [`-s ${cidr} -j ACCEPT`, `-d ${cidr} -j ACCEPT`]),
    },
    {
      name: inputChain,
      from: "INPUT",
      comment,
      after,
      rules: own.flatMap((cidr) => [
        `-s ${cidr} -i ${options.bridge} -j ACCEPT`,
        ...dnsRules(cidr, all),
      ]),
    },
  ];
}

/** The cluster's DNS listens on the bridge's address; pods of other nodes may also use it. */
function dnsRules(own: string, all: readonly string[]): string[] {
  const to = `-d ${gatewayOf(own)}/${isIpv6(own) ? 128 : 32}`;
  return all.flatMap((from) =>
    ["udp", "tcp"].map(
      (protocol) => `-s ${from} ${to} -p ${protocol} -m ${protocol} --dport 53 -j ACCEPT`,
    ),
  );
}

/** Whether a reported removal may affect these rules. */
export function concernsFilter(removal: string): boolean {
  return /^delete (table|rule|chain) ip6? filter($| (FORWARD|INPUT|K8TS-))/.test(removal);
}
