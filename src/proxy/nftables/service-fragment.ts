import { cidrContains, formatCidr } from "#/std/net/cidr.ts";
import { parseNetIp } from "#/std/net/ip.ts";
import type { RoutedPort } from "../base/backend.ts";
import type { Endpoint } from "../base/endpoint.ts";
import type { Routing } from "../base/routing.ts";
import { masqueradeMark, type RuleOptions } from "../base/rule-options.ts";
import type { ServicePort } from "../base/service-port.ts";
import { words } from "./base-fragment.ts";
import type { NftChain, NftContainer, NftElement, NftFragment } from "./fragment.ts";
import { endpointNames, servicePortNames } from "./names.ts";

/** Limit of a comment (characters) in nftables. */
const maxCommentLength = 128;

/** The table content of one service. Upstream: pkg/proxy/nftables/proxier.go. */
export function serviceFragment(ports: readonly RoutedPort[], options: RuleOptions): NftFragment {
  const chains = new Map<string, NftChain>();
  const containers = new Map<string, NftContainer>();
  const elements: NftElement[] = [];
  for (const routed of ports) {
    for (const [name, rules] of servicePortChains(routed, options)) chains.set(name, { rules });
    for (const [name, set] of affinitySets(routed, options)) containers.set(name, set);
    elements.push(...servicePortElements(routed));
  }
  return { chains, containers, elements };
}

/** The elements that lead packets to the chains of a service port, or reject them. */
function* servicePortElements({ port, routing }: RoutedPort): Generator<NftElement> {
  const protocol = port.protocol.toLowerCase();
  const names = servicePortNames(port);
  const comment = port.title.slice(0, maxCommentLength);
  const refusal = routing.hasEndpoints ? "drop" : "goto reject-chain";
  const at = (ip: string): string => `${ip} . ${protocol} . ${port.port}`;
  for (const { local, ip, port: number } of routing.reachable) {
    if (local) {
      yield { container: "hairpin-connections", key: `${ip} . ${ip} . ${protocol} . ${number}` };
    }
  }
  yield { container: "cluster-ips", key: port.clusterIp };
  const internal = port.internalLocal ? names.local : names.cluster;
  yield routing.hasInternal
    ? { container: "service-ips", key: at(port.clusterIp), value: `goto ${internal}` }
    : { container: "no-endpoint-services", key: at(port.clusterIp), value: refusal, comment };
  const external = `goto ${names.external}`;
  for (const ip of [...port.externalIps, ...port.loadBalancerIps]) {
    const key = at(ip);
    if (routing.hasEndpoints) yield { container: "service-ips", key, value: external };
    if (!routing.hasExternal) {
      yield { container: "no-endpoint-services", key, value: refusal, comment };
    }
  }
  for (const ip of port.loadBalancerIps) {
    if (port.sourceRanges.length === 0) break;
    yield { container: "firewall-ips", key: at(ip), value: `goto ${names.firewall}` };
  }
  if (port.nodePort === 0) return;
  const key = `${protocol} . ${port.nodePort}`;
  if (routing.hasEndpoints) yield { container: "service-nodeports", key, value: external };
  if (!routing.hasExternal) {
    yield { container: "no-endpoint-nodeports", key, value: refusal, comment };
  }
}

function* servicePortChains(
  { port, routing }: RoutedPort,
  options: RuleOptions,
): Generator<[string, string[]]> {
  const names = servicePortNames(port);
  const balance = port.affinitySeconds === undefined ? balanceByDnat : balanceByChain;
  if (routing.cluster.length > 0) {
    yield [names.cluster, balance(port, routing.cluster, options)];
  }
  if (routing.local.length > 0) yield [names.local, balance(port, routing.local, options)];
  if (routing.usesExternal) yield [names.external, externalRules(port, routing, options)];
  if (port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0) {
    yield [names.firewall, [firewallRule(port, options)]];
  }
  if (port.affinitySeconds === undefined) return;
  for (const endpoint of routing.reachable) yield endpointChain(port, endpoint, options);
}

/** External traffic: from this node and its pods it goes to any endpoint. */
function externalRules(port: ServicePort, routing: Routing, options: RuleOptions): string[] {
  const names = servicePortNames(port);
  const masquerade = `mark set mark or ${masqueradeMark(options)}`;
  const local = options.localDetector?.nftables.local;
  const shortCut = local && `${local} goto ${names.cluster} comment "short-circuit pod traffic"`;
  const before = port.externalLocal
    ? [
        ...(shortCut ? [shortCut] : []),
        `fib saddr type local ${masquerade} comment "masquerade local traffic"`,
        `fib saddr type local goto ${names.cluster} comment "short-circuit local traffic"`,
      ]
    : [`${masquerade} comment "masquerade"`];
  if (!routing.hasExternal) return before;
  return [...before, `goto ${port.externalLocal ? names.local : names.cluster}`];
}

/** A node within the source ranges may also use the balancer's own address as source. */
function firewallRule(port: ServicePort, { family, nodeIp }: RuleOptions): string {
  const ip = parseNetIp(nodeIp);
  const fromNode = port.sourceRanges.some((range) => ip && cidrContains(range, ip));
  const sources = [...port.sourceRanges.map(formatCidr), ...(fromNode ? port.loadBalancerIps : [])];
  return `${words(family).ip} saddr != { ${sources.join(", ")} } drop`;
}

function balanceByDnat(
  { protocol }: ServicePort,
  endpoints: readonly Endpoint[],
  { family }: RuleOptions,
): string[] {
  const match = `meta l4proto ${protocol.toLowerCase()}`;
  const [only] = endpoints;
  if (endpoints.length === 1 && only) return [`${match} dnat to ${only.address}`];
  const targets = endpoints.map(({ ip, port }, index) => `${index} : ${ip} . ${port}`);
  const choice = `numgen random mod ${endpoints.length} map { ${targets.join(", ")} }`;
  return [`${match} dnat ${words(family).ip} addr . port to ${choice}`];
}

/** Clients with affinity go to their endpoint, others to any. */
function balanceByChain(
  port: ServicePort,
  endpoints: readonly Endpoint[],
  { family }: RuleOptions,
): string[] {
  const names = endpoints.map((endpoint) => endpointNames(port, endpoint));
  const known = names.map(
    ({ affinity, chain }) => `${words(family).ip} saddr @${affinity} goto ${chain}`,
  );
  const targets = names.map(({ chain }, index) => `${index} : goto ${chain}`);
  return [...known, `numgen random mod ${endpoints.length} vmap { ${targets.join(", ")} }`];
}

function endpointChain(
  port: ServicePort,
  endpoint: Endpoint,
  { family }: RuleOptions,
): [string, string[]] {
  const { chain, affinity } = endpointNames(port, endpoint);
  const protocol = port.protocol.toLowerCase();
  return [
    chain,
    [
      `update @${affinity} { ${words(family).ip} saddr }`,
      `meta l4proto ${protocol} dnat to ${endpoint.address}`,
    ],
  ];
}

function* affinitySets(
  { port, routing }: RoutedPort,
  { family }: RuleOptions,
): Generator<[string, NftContainer]> {
  if (port.affinitySeconds === undefined) return;
  const timeoutSeconds = port.affinitySeconds;
  const set = { kind: "set", type: words(family).type, timeoutSeconds } as const;
  for (const endpoint of routing.reachable) yield [endpointNames(port, endpoint).affinity, set];
}
