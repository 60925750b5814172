import { cidrContains, formatCidr } from "#/std/net/cidr.ts";
import { ipBits, parseNetIp } from "#/std/net/ip.ts";
import type { RoutedPort } from "../base/backend.ts";
import type { Endpoint } from "../base/endpoint.ts";
import { hostPort } from "../base/ip-family.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import type { ServicePort } from "../base/service-port.ts";
import type { IpvsFragment, SetEntry, VirtualServer } from "./fragment.ts";
import type { SetName } from "./names.ts";

/** The node's addresses in one family, without those of the dummy interface. */
export interface NodeAddresses {
  readonly all: ReadonlySet<string>;
  /** Those that serve node ports. */
  readonly nodePorts: readonly string[];
}

/** The state for one service. Upstream: pkg/proxy/ipvs/proxier.go. */
export function serviceFragment(
  ports: readonly RoutedPort[],
  options: Pick<RuleOptions, "nodeIp">,
  node: NodeAddresses,
): IpvsFragment {
  const parts = ports.map((routed) => portFragment(routed, options, node));
  return {
    servers: parts.flatMap(({ servers }) => servers),
    entries: parts.flatMap(({ entries }) => entries),
    outFilter: parts.flatMap(({ outFilter }) => outFilter),
  };
}

function portFragment(
  routed: RoutedPort,
  options: Pick<RuleOptions, "nodeIp">,
  node: NodeAddresses,
): IpvsFragment {
  const { port } = routed;
  const external = [...port.externalIps, ...port.loadBalancerIps];
  const bound = [port.clusterIp, ...external.filter((ip) => !node.all.has(ip))];
  const { internal, outside } = endpointsOf(routed);
  const balancers = port.loadBalancerIps.map((ip) => balancerEntries(port, ip, options));
  const nodeIps = port.nodePort === 0 ? [] : node.nodePorts;
  const lacksNodeIps = port.nodePort !== 0 && nodeIps.length === 0;
  return {
    servers: [
      virtualServer(port, hostPort(port.clusterIp, port.port), internal),
      ...external.map((ip) => virtualServer(port, hostPort(ip, port.port), outside)),
      ...nodeIps.map((ip) => virtualServer(port, hostPort(ip, port.nodePort), outside)),
    ],
    entries: [
      ...routed.endpoints.filter(({ local }) => local).map((each) => loopBack(port, each)),
      { set: "KUBE-CLUSTER-IP", entry: withPort(port, port.clusterIp) },
      ...port.externalIps.map((ip) => externalEntry(port, ip)),
      ...balancers.flatMap(({ entries }) => entries),
      ...nodePortEntries(port, nodeIps),
      ...(lacksNodeIps ? [] : healthCheckEntries(port)),
      ...bound.map((entry) => ({ set: "KUBE-IPVS-IPS" as const, entry })),
    ],
    outFilter: balancers.flatMap(({ outFilter }) => outFilter),
  };
}

/**
 * The endpoints for traffic to the cluster IP, and to all other addresses. A Local policy without
 * local endpoints falls back to all of them: pods of this node may use them.
 */
function endpointsOf({ port, routing }: RoutedPort) {
  const { cluster, local } = routing;
  const pick = (isLocal: boolean) => (isLocal && local.length > 0 ? local : cluster);
  return { internal: pick(port.internalLocal), outside: pick(port.externalLocal) };
}

function virtualServer(
  { protocol, affinitySeconds = 0 }: ServicePort,
  address: string,
  endpoints: readonly Endpoint[],
): VirtualServer {
  const realServers = endpoints.map((endpoint) => endpoint.address);
  return { protocol, address, persistenceSeconds: affinitySeconds, realServers };
}

function withPort({ protocol, port }: ServicePort, ip: string, number = port): string {
  return `${ip},${protocol.toLowerCase()}:${number}`;
}

/** An endpoint that connects to itself through the service needs masquerade. */
function loopBack(port: ServicePort, endpoint: Endpoint): SetEntry {
  const entry = `${withPort(port, endpoint.ip, endpoint.port)},${endpoint.ip}`;
  return { set: "KUBE-LOOP-BACK", entry };
}

function externalEntry(port: ServicePort, ip: string): SetEntry {
  const set = port.externalLocal ? "KUBE-EXTERNAL-IP-LOCAL" : "KUBE-EXTERNAL-IP";
  return { set, entry: withPort(port, ip) };
}

function balancerEntries(
  port: ServicePort,
  ip: string,
  { nodeIp }: Pick<RuleOptions, "nodeIp">,
): Pick<IpvsFragment, "entries" | "outFilter"> {
  const entry = withPort(port, ip);
  const entries: SetEntry[] = [{ set: "KUBE-LOAD-BALANCER", entry }];
  if (port.externalLocal) entries.push({ set: "KUBE-LOAD-BALANCER-LOCAL", entry });
  if (port.sourceRanges.length === 0) return { entries, outFilter: [] };
  entries.push({ set: "KUBE-LOAD-BALANCER-FW", entry });
  for (const range of port.sourceRanges) {
    const isAddress = range.prefixLength === ipBits(range.ip.family);
    // ipset lists a network of one address without its prefix.
    const source = isAddress ? formatCidr(range).split("/")[0] : formatCidr(range);
    entries.push({ set: "KUBE-LOAD-BALANCER-SOURCE-CIDR", entry: `${entry},${source}` });
  }
  const node = parseNetIp(nodeIp);
  if (port.sourceRanges.some((range) => node && cidrContains(range, node))) {
    entries.push({ set: "KUBE-LOAD-BALANCER-SOURCE-IP", entry: `${entry},${ip}` });
    return { entries, outFilter: [] };
  }
  // The node's own packets to the address have it as their source, too.
  const match = `--vaddr ${ip} --vproto ${port.protocol.toLowerCase()} --vport ${port.port}`;
  return { entries, outFilter: [`-s ${ip} -m ipvs ${match} -j DROP`] };
}

/** The sets of node ports, by protocol: all of them, and those with policy Local. */
const nodePortSets = {
  TCP: ["KUBE-NODE-PORT-TCP", "KUBE-NODE-PORT-LOCAL-TCP"],
  UDP: ["KUBE-NODE-PORT-UDP", "KUBE-NODE-PORT-LOCAL-UDP"],
  SCTP: ["KUBE-NODE-PORT-SCTP-HASH", "KUBE-NODE-PORT-LOCAL-SCTP-HASH"],
} as const satisfies Record<string, readonly [SetName, SetName]>;

function nodePortEntries(port: ServicePort, nodeIps: readonly string[]): SetEntry[] {
  if (nodeIps.length === 0) return [];
  const [all, local] = nodePortSets[port.protocol];
  const entries =
    port.protocol === "SCTP"
      ? nodeIps.map((ip) => withPort(port, ip, port.nodePort))
      : [String(port.nodePort)];
  const sets = port.externalLocal ? [all, local] : [all];
  return sets.flatMap((set) => entries.map((entry) => ({ set, entry })));
}

function healthCheckEntries({ healthCheckNodePort }: ServicePort): SetEntry[] {
  if (healthCheckNodePort === 0) return [];
  return [{ set: "KUBE-HEALTH-CHECK-NODE-PORT", entry: String(healthCheckNodePort) }];
}
