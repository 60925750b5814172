import type { Selector } from "#/machinery/meta/labels.ts";
import type { AddressRange } from "./address-ranges.ts";

/** Seen from the Pod that a policy selects. */
export type Direction = "ingress" | "egress";

export const directions: readonly Direction[] = ["ingress", "egress"];

/** The order in which policies decide; those of the tier Network are NetworkPolicies. */
export type Tier = "Admin" | "Network" | "Baseline";

/** Pass leaves the decision to the next tier. */
export type Action = "Allow" | "Deny" | "Pass";

export const protocols = ["TCP", "UDP", "SCTP"] as const;

export type Protocol = (typeof protocols)[number];

/** A selection of Pods or Nodes by labels. */
export interface MemberSet {
  /** Equal for equal selections. */
  readonly key: string;
  readonly of: "pods" | "nodes";
  /** The only namespace of its Pods; undefined if `namespaces` selects them. */
  readonly namespace?: string;
  readonly namespaces?: Selector;
  readonly selector: Selector;
}

/** A destination port. Without numbers and name, all ports of the protocol; a name without protocol has that of the Pod. */
export interface PortMatch {
  readonly protocol?: Protocol;
  readonly from?: number;
  readonly to?: number;
  readonly name?: string;
}

/** The other ends of connections. */
export interface Peers {
  readonly sets: readonly MemberSet[];
  readonly ranges: readonly AddressRange[];
}

export interface PolicyRule {
  readonly action: Action;
  /** Undefined for everyone. */
  readonly peers: Peers | undefined;
  /** Undefined for all protocols and ports. */
  readonly ports: readonly PortMatch[] | undefined;
}

/** The object that declares a policy. */
interface PolicySource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** A policy of any kind. */
export interface Policy {
  readonly source: PolicySource;
  readonly tier: Tier;
  /** The lowest decides first, within its tier. */
  readonly priority: number;
  readonly subject: MemberSet;
  /** Undefined if it says nothing about this direction. */
  readonly ingress: readonly PolicyRule[] | undefined;
  readonly egress: readonly PolicyRule[] | undefined;
  /** Parts that can't be enforced as they are written. */
  readonly problems: readonly string[];
}

/** The name of a policy in logs, events and names of chains; unique among all. */
export function policyName({ kind, namespace, name }: PolicySource): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
