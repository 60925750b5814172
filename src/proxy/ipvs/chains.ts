import { masqueradeMark, type RuleOptions } from "../base/rule-options.ts";
import { forwardRules, type JumpRule, masqueradeRules } from "../iptables/base-fragment.ts";
import type { TableName } from "../iptables/fragment.ts";
import { ipSets, kernelSetName, type SetName } from "./names.ts";

/** A chain with all of its rules, without `-A CHAIN`. */
export interface IpvsChain {
  readonly table: TableName;
  readonly name: string;
  readonly rules: readonly string[];
}

function jump(table: TableName, from: string, to: string, comment: string): JumpRule {
  return { table, from, to, comment, onlyNew: false };
}

/** The jumps to our chains, in the order in which they are inserted before all other rules. */
export const ipvsJumps: readonly JumpRule[] = [
  jump("nat", "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"),
  jump("nat", "PREROUTING", "KUBE-SERVICES", "kubernetes service portals"),
  jump("nat", "POSTROUTING", "KUBE-POSTROUTING", "kubernetes postrouting rules"),
  jump("filter", "FORWARD", "KUBE-FORWARD", "kubernetes forwarding rules"),
  jump("filter", "INPUT", "KUBE-NODE-PORT", "kubernetes health check rules"),
  jump("filter", "INPUT", "KUBE-PROXY-FIREWALL", "kube-proxy firewall rules"),
  jump("filter", "FORWARD", "KUBE-PROXY-FIREWALL", "kube-proxy firewall rules"),
  jump("filter", "INPUT", "KUBE-IPVS-FILTER", "kubernetes ipvs access filter"),
  jump("filter", "OUTPUT", "KUBE-IPVS-OUT-FILTER", "kubernetes ipvs access filter"),
];

/** The state of services on which the rules depend. */
interface ServiceFacts {
  /** Whether a set has entries; rules that match only empty sets are left out. */
  hasEntries(set: SetName): boolean;
  /** Rules of KUBE-IPVS-OUT-FILTER. */
  readonly outFilter: readonly string[];
}

/** The chains with their rules. Upstream: pkg/proxy/ipvs/proxier.go. */
export function ipvsChains(options: RuleOptions, facts: ServiceFacts): IpvsChain[] {
  const mark = masqueradeMark(options);
  const rules = new SetRules(options, facts);
  const chain = (table: TableName, name: string, ...lines: (string | string[])[]): IpvsChain => {
    return { table, name, rules: lines.flat() };
  };
  return [
    chain("nat", "KUBE-SERVICES", servicesRules(options, rules)),
    chain(
      "nat",
      "KUBE-POSTROUTING",
      rules.match("KUBE-LOOP-BACK", "dst,dst,src", "MASQUERADE"),
      masqueradeRules(mark),
    ),
    chain("nat", "KUBE-NODE-PORT", nodePortRules(rules)),
    chain(
      "nat",
      "KUBE-LOAD-BALANCER",
      rules.match("KUBE-LOAD-BALANCER-LOCAL", "dst,dst", "RETURN"),
      "-j KUBE-MARK-MASQ",
    ),
    chain("nat", "KUBE-MARK-MASQ", `-j MARK --or-mark ${mark}`),
    chain("filter", "KUBE-FORWARD", forwardRules(mark)),
    chain(
      "filter",
      "KUBE-NODE-PORT",
      rules.always("KUBE-HEALTH-CHECK-NODE-PORT", "dst", "ACCEPT", { comment: true }),
    ),
    chain(
      "filter",
      "KUBE-PROXY-FIREWALL",
      rules.match("KUBE-LOAD-BALANCER-FW", "dst,dst", "KUBE-SOURCE-RANGES-FIREWALL"),
    ),
    chain(
      "filter",
      "KUBE-SOURCE-RANGES-FIREWALL",
      rules.match("KUBE-LOAD-BALANCER-SOURCE-CIDR", "dst,dst,src", "RETURN"),
      rules.match("KUBE-LOAD-BALANCER-SOURCE-IP", "dst,dst,src", "RETURN"),
      "-j DROP",
    ),
    chain("filter", "KUBE-IPVS-FILTER", accessRules(rules)),
    chain("filter", "KUBE-IPVS-OUT-FILTER", [...facts.outFilter].sort()),
  ];
}

/** The names of the chains, by table. */
export function ipvsChainNames(table: TableName): string[] {
  return table === "nat"
    ? [
        "KUBE-SERVICES",
        "KUBE-POSTROUTING",
        "KUBE-NODE-PORT",
        "KUBE-LOAD-BALANCER",
        "KUBE-MARK-MASQ",
      ]
    : [
        "KUBE-FORWARD",
        "KUBE-NODE-PORT",
        "KUBE-PROXY-FIREWALL",
        "KUBE-SOURCE-RANGES-FIREWALL",
        "KUBE-IPVS-FILTER",
        "KUBE-IPVS-OUT-FILTER",
      ];
}

/** Rules that match the sets of one family. */
class SetRules {
  readonly #options: RuleOptions;
  readonly #facts: ServiceFacts;

  constructor(options: RuleOptions, facts: ServiceFacts) {
    this.#options = options;
    this.#facts = facts;
  }

  /** A rule for packets that match a set; none if the set is empty. */
  match(set: SetName, fields: string, to: string, more: { before?: string; after?: string } = {}) {
    if (!this.#facts.hasEntries(set)) return [];
    const { before = "", after = "" } = more;
    const note = `-m comment --comment "${ipSets[set].comment}"`;
    return [`${before}${note} ${this.#set(set, fields)} ${after}-j ${to}`];
  }

  /** A rule that exists with an empty set, too. */
  always(
    set: SetName,
    fields: string,
    to: string,
    { comment = false, before = "" }: { comment?: boolean; before?: string } = {},
  ): string {
    const note = comment ? `-m comment --comment "${ipSets[set].comment}" ` : "";
    return `${before}${note}${this.#set(set, fields)} -j ${to}`;
  }

  /** A rule without comment; none if the set is empty. */
  plain(set: SetName, fields: string, to: string): string[] {
    return this.#facts.hasEntries(set) ? [this.always(set, fields, to)] : [];
  }

  #set(set: SetName, fields: string): string {
    return `-m set --match-set ${kernelSetName(set, this.#options.family)} ${fields}`;
  }
}

function servicesRules(options: RuleOptions, rules: SetRules): string[] {
  const loopback = options.family === "IPv4" ? "127.0.0.0/8" : "::1/128";
  return [
    `-s ${loopback} -j RETURN`,
    ...rules.match("KUBE-LOAD-BALANCER", "dst,dst", "KUBE-LOAD-BALANCER"),
    ...masqueradeClusterIps(options, rules),
    ...rules.match("KUBE-EXTERNAL-IP", "dst,dst", "KUBE-MARK-MASQ"),
    ...externalIpRules("KUBE-EXTERNAL-IP", rules),
    ...externalIpRules("KUBE-EXTERNAL-IP-LOCAL", rules),
    "-m addrtype --dst-type LOCAL -j KUBE-NODE-PORT",
    ...rules.plain("KUBE-CLUSTER-IP", "dst,dst", "ACCEPT"),
    ...rules.plain("KUBE-LOAD-BALANCER", "dst,dst", "ACCEPT"),
  ];
}

/**
 * Traffic that may leave the node again must return through it. Where it can't be distinguished, that
 * of the node itself: it has a service's address as its source, as the dummy interface has them.
 */
function masqueradeClusterIps({ masqueradeAll, localDetector }: RuleOptions, rules: SetRules) {
  const [set, to] = ["KUBE-CLUSTER-IP", "KUBE-MARK-MASQ"] as const;
  if (masqueradeAll) return rules.match(set, "dst,dst", to);
  if (!localDetector) return rules.match(set, "src,dst", to);
  return rules.match(set, "dst,dst", to, { after: `${localDetector.iptables.notLocal} ` });
}

/** Traffic from outside, and to an address of this machine, goes to the service. */
function externalIpRules(set: SetName, rules: SetRules): string[] {
  const fromOutside = "-m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL ";
  return [
    ...rules.match(set, "dst,dst", "ACCEPT", { after: fromOutside }),
    ...rules.match(set, "dst,dst", "ACCEPT", { after: "-m addrtype --dst-type LOCAL " }),
  ];
}

function nodePortRules(rules: SetRules): string[] {
  return [
    ["tcp", "KUBE-NODE-PORT-LOCAL-TCP", "KUBE-NODE-PORT-TCP", "dst"] as const,
    ["udp", "KUBE-NODE-PORT-LOCAL-UDP", "KUBE-NODE-PORT-UDP", "dst"] as const,
    ["sctp", "KUBE-NODE-PORT-LOCAL-SCTP-HASH", "KUBE-NODE-PORT-SCTP-HASH", "dst,dst"] as const,
  ].flatMap(([protocol, local, all, fields]) => [
    ...rules.match(local, fields, "RETURN", { before: `-p ${protocol} ` }),
    ...rules.match(all, fields, "KUBE-MARK-MASQ", { before: `-p ${protocol} ` }),
  ]);
}

/** Programs of the node must not be reachable at the addresses of services. */
function accessRules(rules: SetRules): string[] {
  const open = [
    "KUBE-LOAD-BALANCER",
    "KUBE-CLUSTER-IP",
    "KUBE-EXTERNAL-IP",
    "KUBE-EXTERNAL-IP-LOCAL",
  ] as const;
  return [
    ...open.map((set) => rules.always(set, "dst,dst", "RETURN")),
    rules.always("KUBE-HEALTH-CHECK-NODE-PORT", "dst", "RETURN"),
    rules.always("KUBE-IPVS-IPS", "dst", "REJECT", { before: "-m conntrack --ctstate NEW " }),
  ];
}
