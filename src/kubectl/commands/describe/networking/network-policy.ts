/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "#/api/networking/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, goTime } from "../parts/description.ts";

const describePolicy: Describer = (to, { object }) => {
  const { metadata, spec } = object as unknown as NetworkPolicy;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Namespace", metadata?.namespace ?? "");
  to.field(0, "Created on", goTime(metadata?.creationTimestamp));
  to.labels("Labels", metadata?.labels);
  to.annotations("Annotations", metadata?.annotations);
  to.write(0, "Spec:\n");
  const selector = formatLabelSelector(spec?.podSelector);
  const all = "<none> (Allowing the specific traffic to all pods in this namespace)";
  to.write(1, `PodSelector:     ${selector === "<none>" ? all : selector}\n`);
  const types = spec?.policyTypes ?? [];
  describeDirection(to, {
    name: "ingress",
    peer: "From",
    source: "source",
    rules: types.includes("Ingress")
      ? (spec?.ingress ?? []).map(({ ports, from }) => ({ ports, peers: from }))
      : undefined,
  });
  describeDirection(to, {
    name: "egress",
    peer: "To",
    source: "destination",
    rules: types.includes("Egress")
      ? (spec?.egress ?? []).map(({ ports, to: peers }) => ({ ports, peers }))
      : undefined,
  });
  to.write(1, `Policy Types: ${types.join(", ") || "<none>"}\n`);
};

interface Direction {
  readonly name: string;
  readonly peer: string;
  readonly source: string;
  /** Undefined if the policy doesn't restrict this direction. */
  readonly rules: readonly Rule[] | undefined;
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[] | undefined;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
}

function describeDirection(to: Description, { name, peer, source, rules }: Direction): void {
  if (!rules) {
    to.write(1, `Not affecting ${name} traffic\n`);
    return;
  }
  to.write(1, `Allowing ${name} traffic:\n`);
  if (rules.length === 0) {
    to.write(2, `<none> (Selected pods are isolated for ${name} connectivity)\n`);
  }
  for (const [i, { ports = [], peers = [] }] of rules.entries()) {
    if (ports.length === 0) to.write(2, "To Port: <any> (traffic allowed to all ports)\n");
    for (const port of ports) to.write(2, portText(port));
    if (peers.length === 0) to.write(2, `${peer}: <any> (traffic not restricted by ${source})\n`);
    for (const one of peers) {
      to.write(2, `${peer}:\n`);
      describePeer(to, one);
    }
    if (i !== rules.length - 1) to.write(2, "----------\n");
  }
}

function portText({ port, endPort, protocol = "TCP" }: NetworkPolicyPort): string {
  const number = port ?? "<nil>";
  if (endPort === undefined) return `To Port: ${number}/${protocol}\n`;
  return `To Port Range: ${number}-${endPort}/${protocol}\n`;
}

function describePeer(to: Description, peer: NetworkPolicyPeer): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (namespaceSelector) {
    to.write(3, `NamespaceSelector: ${formatLabelSelector(namespaceSelector)}\n`);
  }
  if (podSelector) to.write(3, `PodSelector: ${formatLabelSelector(podSelector)}\n`);
  if (!ipBlock || podSelector || namespaceSelector) return;
  to.write(3, "IPBlock:\n");
  to.write(4, `CIDR: ${ipBlock.cidr}\n`);
  to.write(4, `Except: ${(ipBlock.except ?? []).join(", ")}\n`);
}

export const networkPolicy: KindDescriber = { describe: describePolicy, events: "none" };
