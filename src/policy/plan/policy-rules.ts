import { memoByIdentity } from "#/std/memory/memo.ts";
import { formatRange, isWholeFamily } from "../model/address-ranges.ts";
import { podsAcross } from "../model/member-set.ts";
import {
  type Direction,
  type MemberSet,
  type Peers,
  type Policy,
  type PolicyRule,
  type PortMatch,
  type Protocol,
  protocols,
} from "../model/policy.ts";
import { chainNames, shortHash } from "./names.ts";

/** A named set that rules refer to. */
export interface UsedSet {
  readonly name: string;
  readonly family: 4 | 6;
  /** Whose addresses it has; with a port, those with a port of that name, and its number. */
  readonly members: readonly MemberSet[];
  /** Without a name, all ports of services. */
  readonly port?: { readonly protocol: Protocol; readonly name?: string };
}

/** Rules of nft, and the sets that they refer to. */
interface RuleTexts {
  readonly rules: readonly string[];
  readonly sets: readonly UsedSet[];
}

/** What becomes of a packet that a rule matches. */
type Verdicts = Readonly<Record<PolicyRule["action"], string>>;

const families = [4, 6] as const;
const wordOf = { 4: "ip", 6: "ip6" } as const;

/**
 * Connections are matched, not packets: by the client's address and, after DNAT, the server's. Replies and ICMP errors
 * have those of their connection, so that one that is forbidden now is cut at its next packet.
 */
export const clientAddress = (family: 4 | 6): string => `ct original ${wordOf[family]} saddr`;
export const serverAddress = (family: 4 | 6): string => `ct reply ${wordOf[family]} saddr`;
export const serverPort = "ct reply proto-src";

/** ICMP errors have a protocol of their own. */
export const isIcmpError = "ct state related meta l4proto { icmp, icmpv6 }";

export const protocolMatch = (protocol: Protocol): string =>
  `meta l4proto ${protocol.toLowerCase()}`;

/** The address of the other end, as seen from the selected Pod. */
const peerAddress = (direction: Direction, family: 4 | 6): string =>
  direction === "ingress" ? clientAddress(family) : serverAddress(family);

/** The next chain for what a direction allows: egress is followed by the ingress of the other Pod. */
export const allowVerdict = { ingress: "accept", egress: `goto ${chainNames.toPod}` } as const;

/** The verdicts of a chain whose caller decides about what is left. */
const verdictsOf = (direction: Direction): Verdicts => ({
  Allow: allowVerdict[direction],
  Deny: `goto ${chainNames.deny[direction]}`,
  Pass: "return",
});

const rulesOf = memoByIdentity((policy: Policy) => ({
  ingress: computeRules(policy, "ingress"),
  egress: computeRules(policy, "egress"),
}));

/** The rules of a policy for one direction, in order. */
export const policyRules = (policy: Policy, direction: Direction): RuleTexts =>
  rulesOf(policy)[direction];

function computeRules(policy: Policy, direction: Direction): RuleTexts {
  const texts = (policy[direction] ?? []).map((rule) => ruleTexts(policy, direction, rule));
  return {
    rules: texts.flatMap(({ rules }) => rules),
    sets: texts.flatMap(({ sets }) => sets),
  };
}

function ruleTexts(policy: Policy, direction: Direction, rule: PolicyRule): RuleTexts {
  const destinations = direction === "ingress" ? [policy.subject] : destinationsOf(rule.peers);
  const peers = peerMatches(direction, rule.peers);
  const ports = portMatches(rule.ports, destinations);
  const verdict = verdictsOf(direction)[rule.action];
  const pairs = peers.flatMap((peer) =>
    ports
      .filter((port) => canBeBoth(port.family, peer.family))
      .filter((port) => canBeBoth(port.protocol, peer.protocol))
      .map((port) => ({ peer, port })),
  );
  return {
    rules: pairs.map(({ peer, port }) =>
      [peer.text, port.text, verdict].filter((part) => part !== "").join(" "),
    ),
    sets: [...peers, ...ports].flatMap(({ set }) => set ?? []),
  };
}

const canBeBoth = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined || a === b;

const anyPod = podsAcross({}, {});

/** The Pods whose named ports a rule for egress means; a network may contain any. */
function destinationsOf(peers: Peers | undefined): readonly MemberSet[] {
  return peers === undefined || peers.ranges.length > 0 ? [anyPod] : peers.sets;
}

/** One condition of a rule; without family, it matches both. */
interface Match {
  readonly text: string;
  readonly family?: 4 | 6;
  readonly protocol?: Protocol;
  readonly set?: UsedSet;
}

function peerMatches(direction: Direction, peers: Peers | undefined): Match[] {
  if (peers === undefined) return [{ text: "" }];
  return families.flatMap((family) => {
    const address = peerAddress(direction, family);
    const ranges = peers.ranges.filter((range) => range.family === family);
    const matches: Match[] = [];
    if (isWholeFamily(ranges)) {
      matches.push({ family, text: `meta nfproto ipv${family}` });
    } else if (ranges.length > 0) {
      matches.push({ family, text: `${address} { ${ranges.map(formatRange).join(", ")} }` });
    }
    if (peers.sets.length > 0) {
      const set = addressSet(peers.sets, family);
      matches.push({ family, text: `${address} @${set.name}`, set });
    }
    if (direction === "egress") matches.push(...serviceMatches(peers.sets, family));
    return matches;
  });
}

/** The labels of the Pods of a cluster's DNS, which k8ts has on its nodes: policies select it by these. */
const dnsLabels = { "k8s-app": "kube-dns" };
const dnsNamespace = "kube-system";

function serviceMatches(sets: readonly MemberSet[], family: 4 | 6): Match[] {
  const members = sets.filter(
    ({ of, namespace = dnsNamespace, selector }) =>
      of === "pods" && namespace === dnsNamespace && selector.matches(dnsLabels),
  );
  if (members.length === 0) return [];
  return (["UDP", "TCP"] as const).map((protocol) => {
    const name = `services${family}-${shortHash(`${protocol}\n${keyOf(members)}`)}`;
    const text = `${protocolMatch(protocol)} ${serverAddress(family)} . ${serverPort} @${name}`;
    return { family, protocol, text, set: { name, family, members, port: { protocol } } };
  });
}

function addressSet(members: readonly MemberSet[], family: 4 | 6): UsedSet {
  return { name: `peers${family}-${shortHash(keyOf(members))}`, family, members };
}

const keyOf = (members: readonly MemberSet[]): string =>
  [...new Set(members.map(({ key }) => key))].sort().join("\n");

/** Ports with numbers are a match for each range; a name is one of each protocol and family. */
function portMatches(
  ports: readonly PortMatch[] | undefined,
  destinations: readonly MemberSet[],
): Match[] {
  if (ports === undefined) return [{ text: "" }];
  const named = ports.filter(({ name }) => name !== undefined);
  const numbered = Map.groupBy(
    ports.filter(({ name }) => name === undefined),
    ({ protocol }) => protocol,
  );
  return [
    ...[...numbered].flatMap(([protocol, some]) =>
      protocol ? numberTexts(protocol, some).map((text) => ({ text, protocol })) : [],
    ),
    ...named.flatMap((port) => namedMatches(port, destinations)),
  ];
}

function numberTexts(protocol: Protocol, ports: readonly PortMatch[]): string[] {
  const text = protocolMatch(protocol);
  if (ports.some(({ from }) => from === undefined)) return [text];
  return mergedPorts(ports).map((range) => `${text} ${serverPort} ${range}`);
}

function mergedPorts(ports: readonly PortMatch[]): string[] {
  const merged: { from: number; to: number }[] = [];
  const sorted = ports.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  for (const { from = 0, to = from } of sorted) {
    const before = merged.at(-1);
    if (before && from <= before.to + 1) before.to = Math.max(before.to, to);
    else merged.push({ from, to });
  }
  return merged.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
}

function namedMatches(
  { protocol: only, name: portName = "" }: PortMatch,
  destinations: readonly MemberSet[],
): Match[] {
  if (destinations.length === 0) return [];
  return (only ? [only] : protocols).flatMap((protocol) =>
    families.map((family) => {
      const key = `${protocol} ${portName}\n${keyOf(destinations)}`;
      const name = `ports${family}-${shortHash(key)}`;
      const text = `${protocolMatch(protocol)} ${serverAddress(family)} . ${serverPort} @${name}`;
      const port = { protocol, name: portName };
      return { family, protocol, text, set: { name, family, members: destinations, port } };
    }),
  );
}
