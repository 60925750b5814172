import { formatCidr } from "#/std/net/cidr.ts";
import { isLoopback, parseNetIp } from "#/std/net/ip.ts";
import { addressesOf, type IpFamily, networksOf } from "../base/ip-family.ts";
import { servingIps } from "../base/node-port-addresses.ts";
import { masqueradeMark, type RuleAddresses, type RuleOptions } from "../base/rule-options.ts";
import type { NftChain, NftContainer, NftElement, NftFragment } from "./fragment.ts";

/** The names of a family in rules. */
export function words(family: IpFamily): { ip: string; type: string; localhost: string } {
  return family === "IPv4"
    ? { ip: "ip", type: "ipv4_addr", localhost: "127.0.0.0/8" }
    : { ip: "ip6", type: "ipv6_addr", localhost: "::1" };
}

/**
 * The table without any service: hooks, chains and empty maps.
 * Upstream: pkg/proxy/nftables/proxier.go.
 */
export function baseFragment(options: RuleOptions, addresses: RuleAddresses): NftFragment {
  return {
    chains: new Map(
      Object.entries({ ...hookChains, ...filterChains(options, addresses), ...natChains(options) }),
    ),
    containers: new Map(Object.entries(containers(options))),
    elements: nodePortIps(options, addresses),
  };
}

const newJump = (chain: string): string => `ct state new jump ${chain}`;

function hooked(hook: string, ...rules: string[]): NftChain {
  return { hook: `type ${hook};`, rules };
}

/** The chains with a hook. */
const hookChains = {
  "filter-prerouting-pre-dnat": hooked(
    "filter hook prerouting priority -110",
    newJump("firewall-check"),
  ),
  "filter-output-pre-dnat": hooked("filter hook output priority -110", newJump("firewall-check")),
  "filter-input": hooked(
    "filter hook input priority 0",
    newJump("nodeport-endpoints-check"),
    newJump("service-endpoints-check"),
  ),
  "filter-forward": hooked(
    "filter hook forward priority 0",
    newJump("service-endpoints-check"),
    newJump("cluster-ips-check"),
  ),
  "filter-output": hooked(
    "filter hook output priority 0",
    newJump("service-endpoints-check"),
    newJump("cluster-ips-check"),
  ),
  "nat-prerouting": hooked("nat hook prerouting priority -100", "jump services"),
  "nat-output": hooked("nat hook output priority -100", "jump services"),
  "nat-postrouting": hooked("nat hook postrouting priority 100", "jump masquerading"),
} satisfies Record<string, NftChain>;

function filterChains(
  { family, nodePorts }: RuleOptions,
  { serviceCidrs }: RuleAddresses,
): Record<string, NftChain> {
  const { ip, localhost } = words(family);
  const destination = `${ip} daddr . meta l4proto . th dport`;
  const cidrs = networksOf(family, serviceCidrs).map(formatCidr);
  const onNodePort = nodePorts.all ? `${ip} daddr != ${localhost}` : `${ip} daddr @nodeport-ips`;
  const drop = `${ip} daddr { ${cidrs.join(", ")} } drop comment "Drop traffic to unallocated ClusterIPs"`;
  return {
    "reject-chain": {
      comment: "helper for @no-endpoint-services / @no-endpoint-nodeports",
      rules: ["reject"],
    },
    "service-endpoints-check": { rules: [`${destination} vmap @no-endpoint-services`] },
    "nodeport-endpoints-check": {
      rules: [`${onNodePort} meta l4proto . th dport vmap @no-endpoint-nodeports`],
    },
    "firewall-check": { rules: [`${destination} vmap @firewall-ips`] },
    "cluster-ips-check": {
      rules: [
        `${ip} daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"`,
        ...(cidrs.length > 0 ? [drop] : []),
      ],
    },
  };
}

function natChains(options: RuleOptions): Record<string, NftChain> {
  const { ip, localhost } = words(options.family);
  const mark = masqueradeMark(options);
  const flow = `${ip} saddr . ${ip} daddr . meta l4proto . th dport`;
  const toNodePort = options.nodePorts.all
    ? `fib daddr type local ${ip} daddr != ${localhost}`
    : `${ip} daddr @nodeport-ips`;
  return {
    masquerading: {
      rules: [
        `mark and ${mark} != 0 mark set mark xor ${mark} masquerade fully-random`,
        `ct status dnat ${flow} @hairpin-connections masquerade fully-random`,
      ],
    },
    services: {
      rules: [
        ...masqueradeClusterIps(options),
        `${ip} daddr . meta l4proto . th dport vmap @service-ips`,
        `${toNodePort} meta l4proto . th dport vmap @service-nodeports`,
      ],
    },
  };
}

/** Traffic that may leave the node again must return through it. */
function masqueradeClusterIps(options: RuleOptions): string[] {
  const { masqueradeAll, localDetector } = options;
  const toClusterIp = `${words(options.family).ip} daddr @cluster-ips`;
  const masquerade = `mark set mark or ${masqueradeMark(options)}`;
  if (masqueradeAll) {
    return [`${toClusterIp} ${masquerade} comment "masquerade all clusterIP traffic"`];
  }
  if (!localDetector) return [];
  const outside = `${toClusterIp} ${localDetector.nftables.notLocal} ${masquerade}`;
  return [`${outside} comment "masquerade clusterIP traffic from outside cluster"`];
}

function containers({ family, nodePorts }: RuleOptions): Record<string, NftContainer> {
  const { type } = words(family);
  const toPort = `${type} . inet_proto . inet_service`;
  const set = (of: string, comment: string): NftContainer => {
    return { kind: "set", type: of, comment };
  };
  const vmap = (of: string, comment: string): NftContainer => {
    return { kind: "map", type: `${of} : verdict`, comment };
  };
  return {
    "hairpin-connections": set(`${type} . ${toPort}`, "service hairpin connections"),
    "cluster-ips": set(type, "Active ClusterIPs"),
    ...(nodePorts.all ? {} : { "nodeport-ips": set(type, "IPs that accept NodePort traffic") }),
    "no-endpoint-services": vmap(
      toPort,
      "vmap to drop or reject packets to services with no endpoints",
    ),
    "no-endpoint-nodeports": vmap(
      "inet_proto . inet_service",
      "vmap to drop or reject packets to service nodeports with no endpoints",
    ),
    "firewall-ips": vmap(toPort, "destinations that are subject to LoadBalancerSourceRanges"),
    "service-ips": vmap(toPort, "ClusterIP, ExternalIP and LoadBalancer IP traffic"),
    "service-nodeports": vmap("inet_proto . inet_service", "NodePort traffic"),
  };
}

function nodePortIps(
  { family, nodePorts }: RuleOptions,
  { machineIps }: RuleAddresses,
): NftElement[] {
  if (nodePorts.all) return [];
  const serving = servingIps(family, nodePorts, addressesOf(family, machineIps));
  return serving.flatMap((key) => {
    const ip = parseNetIp(key);
    return ip && !isLoopback(ip) ? [{ container: "nodeport-ips", key }] : [];
  });
}
