import { isLoopback, parseNetIp } from "#/std/net/ip.ts";
import { servingIps } from "../base/node-port-addresses.ts";
import { masqueradeMark, type RuleAddresses, type RuleOptions } from "../base/rule-options.ts";
import type { IptRuleOptions, TableName } from "./fragment.ts";
import { countPacket, invalidDropped } from "./packet-counters.ts";

/** A chain for all services, with rules before and after those of the services. */
export interface BaseChain {
  readonly table: TableName;
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A rule in one of the kernel's chains that jumps to one of ours. */
export interface JumpRule {
  readonly table: TableName;
  readonly from: string;
  readonly to: string;
  readonly comment: string;
  /** Whether it only matches the first packet of a connection. */
  readonly onlyNew: boolean;
}

/** The jumps to our chains, in the order in which they are inserted before all other rules. */
export const jumpRules: readonly JumpRule[] = [
  jump(
    "filter",
    "INPUT",
    "KUBE-EXTERNAL-SERVICES",
    "kubernetes externally-visible service portals",
  ),
  jump(
    "filter",
    "FORWARD",
    "KUBE-EXTERNAL-SERVICES",
    "kubernetes externally-visible service portals",
  ),
  {
    ...jump("filter", "INPUT", "KUBE-NODEPORTS", "kubernetes health check service ports"),
    onlyNew: false,
  },
  jump("filter", "FORWARD", "KUBE-SERVICES", "kubernetes service portals"),
  jump("filter", "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"),
  { ...jump("filter", "FORWARD", "KUBE-FORWARD", "kubernetes forwarding rules"), onlyNew: false },
  jump("filter", "INPUT", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
  jump("filter", "OUTPUT", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
  jump("filter", "FORWARD", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
  { ...jump("nat", "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"), onlyNew: false },
  { ...jump("nat", "PREROUTING", "KUBE-SERVICES", "kubernetes service portals"), onlyNew: false },
  {
    ...jump("nat", "POSTROUTING", "KUBE-POSTROUTING", "kubernetes postrouting rules"),
    onlyNew: false,
  },
];

/** The jumps of the chain that upstream's kubelet creates as well. */
export const kubeletJumpRules: readonly JumpRule[] = [
  { ...jump("filter", "INPUT", "KUBE-FIREWALL", ""), onlyNew: false },
  { ...jump("filter", "OUTPUT", "KUBE-FIREWALL", ""), onlyNew: false },
];

function jump(table: TableName, from: string, to: string, comment: string): JumpRule {
  return { table, from, to, comment, onlyNew: true };
}

/** The chains without any service. Upstream: pkg/proxy/iptables/proxier.go. */
export function baseChains(options: IptRuleOptions, addresses: RuleAddresses): BaseChain[] {
  const mark = masqueradeMark(options);
  const chain = (table: TableName, name: string, ...before: string[]): BaseChain => {
    return { table, name, before, after: [] };
  };
  return [
    chain("filter", "KUBE-SERVICES"),
    chain("filter", "KUBE-EXTERNAL-SERVICES"),
    chain("filter", "KUBE-NODEPORTS"),
    chain("filter", "KUBE-PROXY-FIREWALL"),
    chain("filter", "KUBE-FORWARD", ...dropInvalid(options), ...forwardRules(mark)),
    ...(localnet(options) ? [chain("filter", "KUBE-FIREWALL", blockLocalnet)] : []),
    { ...chain("nat", "KUBE-SERVICES"), after: nodePortJumps(options, addresses) },
    chain("nat", "KUBE-NODEPORTS"),
    chain("nat", "KUBE-MARK-MASQ", `-j MARK --or-mark ${mark}`),
    chain("nat", "KUBE-POSTROUTING", ...masqueradeRules(mark)),
  ];
}

/** The rules that masquerade marked packets, and remove the mark. */
export function masqueradeRules(mark: string): string[] {
  return [
    `-m mark ! --mark ${mark}/${mark} -j RETURN`,
    `-j MARK --xor-mark ${mark}`,
    '-m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
  ];
}

function localnet({ family, localhostNodePorts }: RuleOptions): boolean {
  return family === "IPv4" && localhostNodePorts;
}

/** Serving node ports on 127.0.0.1 would let neighbours reach programs that listen there. */
const blockLocalnet =
  '-m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 ' +
  "-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP";

function dropInvalid({ conntrackLiberal, counters }: IptRuleOptions): string[] {
  if (conntrackLiberal) return [];
  const count = counters.has(invalidDropped) ? `${countPacket(invalidDropped)} ` : "";
  return [`-m conntrack --ctstate INVALID ${count}-j DROP`];
}

/** The rules that accept marked packets, and all packets of their connections. */
export function forwardRules(mark: string): string[] {
  const note = (text: string): string => `-m comment --comment "${text}"`;
  return [
    `${note("kubernetes forwarding rules")} -m mark --mark ${mark}/${mark} -j ACCEPT`,
    `${note("kubernetes forwarding conntrack rule")} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
  ];
}

function nodePortJumps(options: RuleOptions, { machineIps }: RuleAddresses): string[] {
  const note =
    '-m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain"';
  if (options.nodePorts.all) {
    const except = options.family === "IPv6" ? " ! -d ::1/128" : " ! -d 127.0.0.0/8";
    const local = `-m addrtype --dst-type LOCAL${localnet(options) ? "" : except}`;
    return [`${note} ${local} -j KUBE-NODEPORTS`];
  }
  return servingIps(options.family, options.nodePorts, machineIps).flatMap((text) => {
    const ip = parseNetIp(text);
    if (!ip || (isLoopback(ip) && !localnet(options))) return [];
    return [`${note} -d ${text} -j KUBE-NODEPORTS`];
  });
}
