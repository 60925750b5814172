import { cidrContains, formatCidr } from "#/std/net/cidr.ts";
import { parseNetIp } from "#/std/net/ip.ts";
import type { RoutedPort } from "../base/backend.ts";
import type { Endpoint } from "../base/endpoint.ts";
import type { Routing } from "../base/routing.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import type { ServicePort } from "../base/service-port.ts";
import type { IptFragment, IptRuleOptions, SharedRule } from "./fragment.ts";
import { endpointName, servicePortNames } from "./names.ts";
import { countPacket, localhostAccepted } from "./packet-counters.ts";

interface ServiceRuleOptions extends IptRuleOptions {
  /** Whether rules for endpoints carry a comment; in large clusters they don't. */
  readonly comments: boolean;
}

/** The rules of one service. Upstream: pkg/proxy/iptables/proxier.go. */
export function serviceFragment(
  ports: readonly RoutedPort[],
  options: ServiceRuleOptions,
): IptFragment {
  const own = new Map<string, readonly string[]>();
  const shared: SharedRule[] = [];
  for (const routed of ports) {
    for (const [name, rules] of ownChains(routed, options)) own.set(name, rules);
    shared.push(...captureRules(routed, options));
  }
  return { own, shared };
}

const comment = (text: string): string => `-m comment --comment "${text}"`;

function match({ protocol }: ServicePort, port: number, ip?: string): string {
  const name = protocol.toLowerCase();
  return `-m ${name} -p ${name}${ip === undefined ? "" : ` -d ${ip}`} --dport ${port}`;
}

/** The rules that lead packets to the chains of a service port, or reject them. */
function* captureRules(routed: RoutedPort, options: ServiceRuleOptions): Generator<SharedRule> {
  const { port, routing } = routed;
  const names = servicePortNames(port);
  const why = routing.hasEndpoints ? "has no local endpoints" : "has no endpoints";
  const target = routing.hasEndpoints ? "DROP" : "REJECT";
  const refuse = (chain: string, matches: string): SharedRule => {
    const rule = `${comment(`${port.title} ${why}`)} ${matches} -j ${target}`;
    return { table: "filter", chain, rule };
  };
  const lead = (what: string, ip: string, to: string): SharedRule => {
    const rule = `${comment(`${port.title} ${what}`)} ${match(port, port.port, ip)} -j ${to}`;
    return { table: "nat", chain: "KUBE-SERVICES", rule };
  };
  yield routing.hasInternal
    ? lead("cluster IP", port.clusterIp, port.internalLocal ? names.local : names.cluster)
    : refuse("KUBE-SERVICES", match(port, port.port, port.clusterIp));
  for (const ip of port.externalIps) {
    if (routing.hasEndpoints) yield lead("external IP", ip, names.external);
  }
  const firewalled = usesFirewall(port, routing);
  for (const ip of port.loadBalancerIps) {
    if (!routing.hasEndpoints) break;
    yield lead("loadbalancer IP", ip, firewalled ? names.firewall : names.external);
    if (!firewalled) continue;
    const note = comment(`${port.title} traffic not accepted by ${names.firewall}`);
    const rule = `${note} ${match(port, port.port, ip)} -j DROP`;
    yield { table: "filter", chain: "KUBE-PROXY-FIREWALL", rule };
  }
  if (!routing.hasExternal) {
    for (const ip of [...port.externalIps, ...port.loadBalancerIps]) {
      yield refuse("KUBE-EXTERNAL-SERVICES", match(port, port.port, ip));
    }
  }
  yield* nodePortRules(routed, options, refuse);
}

function* nodePortRules(
  { port, routing }: RoutedPort,
  options: ServiceRuleOptions,
  refuse: (chain: string, matches: string) => SharedRule,
): Generator<SharedRule> {
  if (port.nodePort !== 0) {
    const toPort = match(port, port.nodePort);
    if (routing.hasEndpoints) {
      const to = servicePortNames(port).external;
      const note = `-m comment --comment ${port.title}`;
      const rule = `${note} ${toPort} -j ${to}`;
      const shared = { table: "nat", chain: "KUBE-NODEPORTS" } as const;
      const counted = countedRule(port, options);
      // It must be before the other one, which matches the same packets.
      if (counted !== undefined) yield { ...shared, rule: `${note} ${counted} -j ${to}` };
      yield { ...shared, rule };
    }
    if (!routing.hasExternal) {
      yield refuse("KUBE-EXTERNAL-SERVICES", `-m addrtype --dst-type LOCAL ${toPort}`);
    }
  }
  if (port.healthCheckNodePort !== 0) {
    const note = comment(`${port.title} health check node port`);
    const rule = `${note} -m tcp -p tcp --dport ${port.healthCheckNodePort} -j ACCEPT`;
    yield { table: "filter", chain: "KUBE-NODEPORTS", rule };
  }
}

/** The match of packets to a node port at 127.0.0.1, which counts them. */
function countedRule(port: ServicePort, options: ServiceRuleOptions): string | undefined {
  const { family, localhostNodePorts, counters } = options;
  if (family !== "IPv4" || !localhostNodePorts || !counters.has(localhostAccepted))
    return undefined;
  return `${match(port, port.nodePort, "127.0.0.0/8")} ${countPacket(localhostAccepted)}`;
}

function* ownChains(
  { port, routing }: RoutedPort,
  options: ServiceRuleOptions,
): Generator<[string, string[]]> {
  const names = servicePortNames(port);
  const entry = routing.hasInternal ? masqueradeClusterIp(port, options) : [];
  const before = (isInternal: boolean): string[] => (isInternal ? entry : []);
  if (routing.cluster.length > 0) {
    const rules = balance(port, routing.cluster, options);
    yield [names.cluster, [...before(!port.internalLocal), ...rules]];
  }
  if (routing.local.length > 0) {
    const rules = balance(port, routing.local, options);
    yield [names.local, [...before(port.internalLocal), ...rules]];
  }
  if (routing.usesExternal) yield [names.external, externalRules(port, routing, options)];
  if (usesFirewall(port, routing)) yield [names.firewall, firewallRules(port, options)];
  for (const endpoint of routing.reachable) {
    yield [endpointName(port, endpoint), endpointRules(port, endpoint, options)];
  }
}

function usesFirewall(port: ServicePort, { hasEndpoints }: Routing): boolean {
  return hasEndpoints && port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;
}

/** Traffic that may leave the node again must return through it. */
function masqueradeClusterIp(
  port: ServicePort,
  { masqueradeAll, localDetector }: RuleOptions,
): string[] {
  const toClusterIp = `${comment(`${port.title} cluster IP`)} ${match(port, port.port, port.clusterIp)}`;
  if (masqueradeAll) return [`${toClusterIp} -j KUBE-MARK-MASQ`];
  if (!localDetector) return [];
  return [`${toClusterIp} ${localDetector.iptables.notLocal} -j KUBE-MARK-MASQ`];
}

/** External traffic: from this node and its pods it goes to any endpoint. */
function externalRules(port: ServicePort, routing: Routing, options: RuleOptions): string[] {
  const names = servicePortNames(port);
  const about = (what: string): string =>
    comment(`${what} for ${port.title} external destinations`);
  const local = options.localDetector?.iptables.local;
  const fromNode = "-m addrtype --src-type LOCAL";
  const before = port.externalLocal
    ? [
        ...(local ? [`${about("pod traffic")} ${local} -j ${names.cluster}`] : []),
        `${about("masquerade LOCAL traffic")} ${fromNode} -j KUBE-MARK-MASQ`,
        `${about("route LOCAL traffic")} ${fromNode} -j ${names.cluster}`,
      ]
    : [`${about("masquerade traffic")} -j KUBE-MARK-MASQ`];
  if (!routing.hasExternal) return before;
  return [...before, `-j ${port.externalLocal ? names.local : names.cluster}`];
}

/** A node within the source ranges may also use the balancer's own address as source. */
function firewallRules(port: ServicePort, { nodeIp }: RuleOptions): string[] {
  const ip = parseNetIp(nodeIp);
  const fromNode = port.sourceRanges.some((range) => ip && cidrContains(range, ip));
  const sources = [...port.sourceRanges.map(formatCidr), ...(fromNode ? port.loadBalancerIps : [])];
  const note = comment(`${port.title} loadbalancer IP`);
  const to = servicePortNames(port).external;
  return [
    ...sources.map((source) => `${note} -s ${source} -j ${to}`),
    comment(`other traffic to ${port.title} will be dropped by KUBE-PROXY-FIREWALL`),
  ];
}

/** Clients with affinity go to their endpoint, others to each with the same probability. */
function balance(
  port: ServicePort,
  endpoints: readonly Endpoint[],
  { comments }: ServiceRuleOptions,
): string[] {
  const targets = endpoints.map((endpoint) => ({
    note: comments ? `${comment(`${port.title} -> ${endpoint.address}`)} ` : "",
    chain: endpointName(port, endpoint),
  }));
  const recent = `--rcheck --seconds ${port.affinitySeconds} --reap`;
  const known =
    port.affinitySeconds === undefined
      ? []
      : targets.map(({ note, chain }) => `${note}-m recent --name ${chain} ${recent} -j ${chain}`);
  const any = targets.map(({ note, chain }, index) => {
    const remaining = targets.length - index;
    const chance = `-m statistic --mode random --probability ${(1 / remaining).toFixed(10)} `;
    return `${note}${remaining > 1 ? chance : ""}-j ${chain}`;
  });
  return [...known, ...any];
}

/** An endpoint that connects to itself through the service needs masquerade. */
function endpointRules(
  port: ServicePort,
  endpoint: Endpoint,
  { comments }: ServiceRuleOptions,
): string[] {
  const note = comments ? `-m comment --comment ${port.title} ` : "";
  const protocol = port.protocol.toLowerCase();
  const remember =
    port.affinitySeconds === undefined
      ? ""
      : `-m recent --name ${endpointName(port, endpoint)} --set `;
  const dnat = `-m ${protocol} -p ${protocol} -j DNAT --to-destination ${endpoint.address}`;
  return [`${note}-s ${endpoint.ip} -j KUBE-MARK-MASQ`, `${note}${remember}${dnat}`];
}
