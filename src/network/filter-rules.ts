import { isDeepStrictEqual } from "node:util";
import { hasChain, rulesOf } from "./iptables-chains.ts";
import { gatewayOf, isIpv6 } from "./network-node.ts";

/**
 * The rules that let pods through a firewall that drops what it doesn't know: Docker and ufw set
 * the policy of FORWARD to DROP, ufw that of INPUT, too. Only a rule in iptables' own chains helps:
 * a packet must pass the chains of every table.
 */
export interface FilterOptions {
  readonly bridge: string;
  /** The networks of this node's pods. */
  readonly podCidrs: readonly string[];
  /** The networks of all pods. */
  readonly clusterCidrs: readonly string[];
}

/** A chain of ours, and the chain of the kernel that leads to it. */
export interface FilterChain {
  readonly name: string;
  readonly from: "FORWARD" | "INPUT";
  /** As iptables-save writes them, without `-A` and the chain's name. */
  readonly rules: readonly string[];
}

const forwardChain = "K8TS-FORWARD";
const inputChain = "K8TS-INPUT";

export const filterChainNames = [forwardChain, inputChain];

/** By which people know the jumps to our chains. */
const jumpComment = '-m comment --comment "k8ts pod network"';

/** The chains of one family; their rules are empty if the cluster doesn't use it. */
export function filterChains(ip: "ip" | "ip6", options: FilterOptions): FilterChain[] {
  const ofFamily = (cidrs: readonly string[]): string[] =>
    cidrs.filter((cidr) => isIpv6(cidr) === (ip === "ip6"));
  const all = ofFamily(options.clusterCidrs);
  const own = ofFamily(options.podCidrs);
  return [
    {
      name: forwardChain,
      from: "FORWARD",
      rules: all.flatMap((cidr) => [`-s ${cidr} -j ACCEPT`, `-d ${cidr} -j ACCEPT`]),
    },
    {
      name: inputChain,
      from: "INPUT",
      rules: own.flatMap((cidr) => [
        `-s ${cidr} -i ${options.bridge} -j ACCEPT`,
        ...dnsRules(cidr, all),
      ]),
    },
  ];
}

/** The cluster's DNS answers at the bridge's address, now and then pods of other nodes as well. */
function dnsRules(own: string, all: readonly string[]): string[] {
  const to = `-d ${gatewayOf(own)}/${isIpv6(own) ? 128 : 32}`;
  return all.flatMap((from) =>
    ["udp", "tcp"].map(
      (protocol) => `-s ${from} ${to} -p ${protocol} -m ${protocol} --dport 53 -j ACCEPT`,
    ),
  );
}

/**
 * What iptables-restore has to read to bring the table `filter` up to date, given what
 * iptables-save says of it; "" if nothing is to be done. Our jumps come first but for those of
 * kube-proxy: its chains reject and drop what we would accept.
 */
export function planFilter(saved: string, chains: readonly FilterChain[]): string {
  const lines: string[] = [];
  for (const { name, from, rules } of chains) {
    const isRight = hasChain(saved, name) && isDeepStrictEqual(rulesOf(saved, name), rules);
    if (!isRight) lines.push(`:${name} - [0:0]`, ...rules.map((rule) => `-A ${name} ${rule}`));
    lines.push(...planJump(rulesOf(saved, from), from, name));
  }
  return lines.length === 0 ? "" : ["*filter", ...lines, "COMMIT", ""].join("\n");
}

function planJump(rules: readonly string[], from: string, to: string): string[] {
  const isOurs = (rule: string): boolean => rule.endsWith(` -j ${to}`);
  const others = rules.filter((rule) => !isOurs(rule));
  const wantedAt = others.findLastIndex((rule) => rule.includes("-j KUBE-")) + 1;
  const jumps = rules.filter(isOurs);
  if (jumps.length === 1 && rules.findIndex(isOurs) >= wantedAt) return [];
  return [
    ...jumps.map((rule) => `-D ${from} ${rule}`),
    `-I ${from} ${wantedAt + 1} ${jumpComment} -j ${to}`,
  ];
}

/** Whether a report of a removal may be about these rules. */
export function concernsFilter(removal: string): boolean {
  return /^delete (table|rule|chain) ip6? filter($| (FORWARD|INPUT|K8TS-))/.test(removal);
}
