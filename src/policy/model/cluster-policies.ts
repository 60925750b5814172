/**
 * The policies of administrators: ClusterNetworkPolicy, and AdminNetworkPolicy and BaselineAdminNetworkPolicy, which it
 * replaces. Upstream: sigs.k8s.io/network-policy-api, apis/v1alpha2 and apis/v1alpha1.
 */
import type { Resource } from "#/api/base/resource.ts";
import type { LabelSelector, ObjectMeta } from "#/api/meta/v1.ts";
import { SelectorError } from "#/machinery/meta/labels.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { rangesOf } from "./address-ranges.ts";
import { nodesBy, podsAcross } from "./member-set.ts";
import type {
  Action,
  MemberSet,
  Peers,
  Policy,
  PolicyRule,
  PortMatch,
  Protocol,
  Tier,
} from "./policy.ts";

const group = "policy.networking.k8s.io";

interface NamespacedPods {
  readonly namespaceSelector?: LabelSelector;
  readonly podSelector?: LabelSelector;
}

interface ClusterPeer {
  readonly namespaces?: LabelSelector;
  readonly pods?: NamespacedPods;
  readonly nodes?: LabelSelector;
  readonly networks?: readonly string[];
  readonly domainNames?: readonly string[];
}

interface PortRange {
  readonly start: number;
  readonly end: number;
}

interface ProtocolMatch {
  readonly destinationPort?: { readonly number?: number; readonly range?: PortRange };
}

interface ClusterRule {
  readonly name?: string;
  readonly action: string;
  readonly from?: readonly ClusterPeer[];
  readonly to?: readonly ClusterPeer[];
  /** Of ClusterNetworkPolicy. */
  readonly protocols?: readonly {
    readonly tcp?: ProtocolMatch;
    readonly udp?: ProtocolMatch;
    readonly sctp?: ProtocolMatch;
    readonly destinationNamedPort?: string;
  }[];
  /** Of the older kinds. */
  readonly ports?: readonly {
    readonly portNumber?: { readonly protocol?: Protocol; readonly port: number };
    readonly namedPort?: string;
    readonly portRange?: PortRange & { readonly protocol?: Protocol };
  }[];
}

/** An object of any of these kinds. */
export interface ClusterPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly tier?: string;
    readonly priority?: number;
    readonly subject: { readonly namespaces?: LabelSelector; readonly pods?: NamespacedPods };
    readonly ingress?: readonly ClusterRule[];
    readonly egress?: readonly ClusterRule[];
  };
}

const resource = (kind: string, version: string, name: string): Resource<ClusterPolicy> => ({
  group,
  version,
  kind,
  name,
  singular: kind.toLowerCase(),
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
});

/** The kinds, each with the tier of its policies; undefined if each policy says it. */
export const clusterPolicyKinds: readonly {
  readonly resource: Resource<ClusterPolicy>;
  readonly tier: Tier | undefined;
}[] = [
  {
    resource: resource("ClusterNetworkPolicy", "v1alpha2", "clusternetworkpolicies"),
    tier: undefined,
  },
  { resource: resource("AdminNetworkPolicy", "v1alpha1", "adminnetworkpolicies"), tier: "Admin" },
  {
    resource: resource("BaselineAdminNetworkPolicy", "v1alpha1", "baselineadminnetworkpolicies"),
    tier: "Baseline",
  },
];

/** A policy of an administrator: the first rule that matches decides. */
export function clusterPolicyOf(
  { kind, group, version }: Resource,
  tier: Tier | undefined,
  { metadata, spec }: ClusterPolicy,
): Policy {
  const { name = "", uid } = metadata;
  const problems: string[] = [];
  const rules = (given: readonly ClusterRule[] = [], direction: string) =>
    given.length === 0
      ? undefined
      : given.map((rule, index) => ruleOf(rule, `${direction}[${index}]`, problems));
  const ingress = rules(spec.ingress, "ingress");
  const egress = rules(spec.egress, "egress");
  return {
    source: {
      apiVersion: `${group}/${version}`,
      kind,
      name,
      ...(uid === undefined ? {} : { uid }),
    },
    tier: tier ?? (spec.tier === "Baseline" ? "Baseline" : "Admin"),
    priority: spec.priority ?? 0,
    subject: subjectOf(spec.subject, problems),
    ingress,
    egress,
    problems,
  };
}

/** Selects nothing. */
const none: MemberSet = podsAcross(
  { matchExpressions: [{ key: "k8ts.dev/none", operator: "In", values: ["true"] }] },
  {},
);

function subjectOf({ namespaces, pods }: ClusterPolicy["spec"]["subject"], problems: string[]) {
  try {
    if (pods) return podsAcross(pods.namespaceSelector ?? {}, pods.podSelector);
    if (namespaces) return podsAcross(namespaces, undefined);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    problems.push(`subject: ${error.message}`);
    return none;
  }
  problems.push("subject selects neither namespaces nor pods");
  return none;
}

const actions: Readonly<Record<string, Action>> = {
  Accept: "Allow",
  Allow: "Allow",
  Deny: "Deny",
  Pass: "Pass",
};

/** What can't be read is closed: a rule that allows then matches nothing, any other one denies everything. */
function ruleOf(rule: ClusterRule, path: string, problems: string[]): PolicyRule {
  const action = actions[rule.action];
  const found: string[] = [];
  if (action === undefined) found.push(`action ${rule.action} is unknown`);
  const peers = peersOf(rule.from ?? rule.to ?? [], found);
  const ports = portsOf(rule, found);
  problems.push(...found.map((problem) => `${path}: ${problem}`));
  if (found.length > 0 && action !== "Allow") {
    return { action: "Deny", peers: undefined, ports: undefined };
  }
  return { action: action ?? "Deny", peers, ports };
}

function peersOf(peers: readonly ClusterPeer[], problems: string[]): Peers {
  const sets: MemberSet[] = [];
  const networks: string[] = [];
  for (const peer of peers) {
    try {
      if (peer.networks) networks.push(...peer.networks);
      else sets.push(...setsOf(peer, problems));
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      problems.push(error.message);
    }
  }
  const blocks = networks.flatMap((text) => {
    const cidr = parseCidr(text);
    if (!cidr) problems.push(`${text} is no network`);
    return cidr ? [{ cidr, except: [] }] : [];
  });
  return { sets, ranges: rangesOf(blocks) };
}

function setsOf({ namespaces, pods, nodes, domainNames }: ClusterPeer, problems: string[]) {
  if (namespaces) return [podsAcross(namespaceSelector(namespaces, problems), undefined)];
  if (pods) return [podsAcross(pods.namespaceSelector ?? {}, pods.podSelector)];
  if (nodes) return [nodesBy(nodes)];
  problems.push(domainNames ? "domainNames are not enforced" : "a peer of an unknown kind");
  return [];
}

/** The first version of AdminNetworkPolicy has one more level, with fields that later ones do not have. */
function namespaceSelector(given: LabelSelector, problems: string[]): LabelSelector {
  const older = given as {
    namespaceSelector?: LabelSelector;
    sameLabels?: unknown;
    notSameLabels?: unknown;
  };
  if (older.sameLabels || older.notSameLabels) problems.push("sameLabels are not enforced");
  return older.namespaceSelector ?? given;
}

function portsOf({ protocols, ports }: ClusterRule, problems: string[]): PortMatch[] | undefined {
  const matches = [
    ...(protocols ?? []).map(({ tcp, udp, sctp, destinationNamedPort: name }) => {
      if (name !== undefined) return { name };
      if (tcp) return protocolPort("TCP", tcp);
      if (udp) return protocolPort("UDP", udp);
      return sctp && protocolPort("SCTP", sctp);
    }),
    ...(ports ?? []).map(({ portNumber, namedPort: name, portRange }) => {
      if (name !== undefined) return { name };
      if (portNumber) return numbered(portNumber.protocol, portNumber.port, portNumber.port);
      return portRange && numbered(portRange.protocol, portRange.start, portRange.end);
    }),
  ];
  if (matches.length === 0) return undefined;
  if (matches.includes(undefined)) problems.push("a port of an unknown kind");
  return matches.filter((match) => match !== undefined);
}

function protocolPort(
  protocol: Protocol,
  { destinationPort }: ProtocolMatch,
): PortMatch | undefined {
  if (destinationPort === undefined) return { protocol };
  const { number, range } = destinationPort;
  if (number !== undefined) return numbered(protocol, number, number);
  return range && numbered(protocol, range.start, range.end);
}

const numbered = (protocol: Protocol = "TCP", from: number, to: number): PortMatch => ({
  protocol,
  from,
  to,
});
