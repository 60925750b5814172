/** Upstream: staging/src/k8s.io/api/networking/v1/types.go. */
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "#/api/networking/v1.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { type AddressBlock, rangesOf } from "./address-ranges.ts";
import { podsAcross, podsIn } from "./member-set.ts";
import type { Peers, Policy, PolicyRule, PortMatch, Protocol } from "./policy.ts";

/** A NetworkPolicy: what its rules don't allow is denied to the Pods that it selects. */
export function networkPolicyOf({ metadata, spec }: NetworkPolicy): Policy {
  const { namespace = "", name = "", uid } = metadata;
  const types = spec.policyTypes ?? ["Ingress", ...(spec.egress?.length ? ["Egress"] : [])];
  const ingress = spec.ingress?.map(({ from, ports }) => ruleOf(namespace, from, ports)) ?? [];
  const egress = spec.egress?.map(({ to, ports }) => ruleOf(namespace, to, ports)) ?? [];
  return {
    source: {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      namespace,
      name,
      ...(uid === undefined ? {} : { uid }),
    },
    tier: "Network",
    priority: 0,
    subject: podsIn(namespace, spec.podSelector),
    ingress: types.includes("Ingress") ? ingress : undefined,
    egress: types.includes("Egress") ? egress : undefined,
    problems: [],
  };
}

function ruleOf(
  namespace: string,
  peers: readonly NetworkPolicyPeer[] = [],
  ports: readonly NetworkPolicyPort[] = [],
): PolicyRule {
  return {
    action: "Allow",
    peers: peers.length === 0 ? undefined : peersOf(namespace, peers),
    ports: ports.length === 0 ? undefined : ports.map(portOf),
  };
}

function peersOf(namespace: string, peers: readonly NetworkPolicyPeer[]): Peers {
  return {
    sets: peers.flatMap(({ ipBlock, namespaceSelector, podSelector }) => {
      if (ipBlock) return [];
      return namespaceSelector
        ? [podsAcross(namespaceSelector, podSelector)]
        : [podsIn(namespace, podSelector)];
    }),
    ranges: rangesOf(peers.flatMap(({ ipBlock }) => (ipBlock ? blockOf(ipBlock) : []))),
  };
}

function blockOf({ cidr, except = [] }: { cidr: string; except?: string[] }): AddressBlock[] {
  const whole = parseCidr(cidr, { sloppy: true });
  if (!whole) return [];
  return [
    { cidr: whole, except: except.flatMap((text) => parseCidr(text, { sloppy: true }) ?? []) },
  ];
}

function portOf({ protocol = "TCP", port, endPort }: NetworkPolicyPort): PortMatch {
  const own = { protocol: protocol as Protocol };
  if (port === undefined) return own;
  if (typeof port === "string") return { ...own, name: port };
  return { ...own, from: port, to: endPort ?? port };
}
