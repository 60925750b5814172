import type { Service } from "#/api/core/v1.ts";
import { namespaces, type Pod, pods } from "#/api/core/v1.ts";
import type {
  NetworkPolicy,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "#/api/networking/v1.ts";
import { compileLabelSelector, formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { names } from "../../base/text.ts";
import type { View } from "../../base/view.ts";

/** Why policies permit no connection to a Service's Pods, as the end of a sentence; undefined if they permit one. */
export function closedFor(
  service: Service,
  policies: readonly NetworkPolicy[],
  found: readonly Pod[],
  view: View,
): string | undefined {
  const rules = policies.flatMap(({ spec }) => spec?.ingress ?? []);
  if (rules.length === 0) return undefined;
  const wanted = targetsOf(service, found);
  const open = rules.filter(({ ports }) => isOpen(ports, wanted));
  if (open.length === 0) {
    const ports = rules.flatMap((rule) => (rule.ports ?? []).map(portText));
    return `allows connections to port ${names([...new Set(ports)])} only, and the Service leads to port ${names(wanted.map(({ text }) => text))}`;
  }
  const peers = open.map((rule) => absentPeers(rule, service.metadata.namespace ?? "", view));
  if (peers.some((absent) => absent === undefined)) return undefined;
  return `allows connections only from ${names(peers.map(String))}, and there is no such Pod`;
}

interface Target {
  readonly text: string;
  readonly protocol: string;
  readonly number: number | undefined;
  readonly name: string | undefined;
}

/** The ports of its Pods to which a Service leads. */
function targetsOf({ spec }: Service, found: readonly Pod[]): readonly Target[] {
  const declared = found.flatMap((pod) => pod.spec.containers.flatMap(({ ports }) => ports ?? []));
  return (spec?.ports ?? []).map(({ port, targetPort = port, protocol = "TCP" }) => {
    const same = declared.find((one) =>
      typeof targetPort === "string"
        ? one.name === targetPort
        : one.containerPort === targetPort && (one.protocol ?? "TCP") === protocol,
    );
    const number = typeof targetPort === "number" ? targetPort : same?.containerPort;
    return { text: String(number ?? targetPort), protocol, number, name: same?.name };
  });
}

/** Whether a rule opens one of the ports; that of a port that is not known counts as open. */
const isOpen = (
  ports: readonly NetworkPolicyPort[] | undefined,
  wanted: readonly Target[],
): boolean =>
  !ports?.length ||
  wanted.length === 0 ||
  wanted.some(
    ({ number, name, protocol }) =>
      number === undefined ||
      ports.some((one) => {
        if ((one.protocol ?? "TCP") !== protocol) return false;
        if (one.port === undefined || one.port === name) return true;
        if (typeof one.port === "string") return false;
        return one.endPort === undefined
          ? one.port === number
          : one.port <= number && number <= one.endPort;
      }),
  );

const portText = ({ port, endPort, protocol = "TCP" }: NetworkPolicyPort): string =>
  `${port ?? "any"}${endPort === undefined ? "" : `-${endPort}`}${protocol === "TCP" ? "" : `/${protocol}`}`;

/** Whom a rule allows, in words, if none of these Pods exists; undefined if any does, or if that is not known. */
function absentPeers(
  { from }: NetworkPolicyIngressRule,
  namespace: string,
  view: View,
): string | undefined {
  if (!from?.length) return undefined;
  const texts = from.map((peer) => absentPeer(peer, namespace, view));
  return texts.every((text) => text !== undefined) ? names(texts.map(String)) : undefined;
}

function absentPeer(peer: NetworkPolicyPeer, own: string, view: View): string | undefined {
  const { ipBlock, podSelector, namespaceSelector } = peer;
  if (ipBlock) return undefined;
  const labelSelector = podSelector && formatLabelSelector(podSelector);
  const text = labelSelector ? `Pods ${labelSelector}` : "Pods";
  if (!namespaceSelector) {
    const found = view.list(pods, { namespace: own, labelSelector });
    return found?.length === 0 ? text : undefined;
  }
  const places = view.list(namespaces);
  const there = places?.filter(({ metadata }) =>
    compileLabelSelector(namespaceSelector).matches(metadata.labels),
  );
  const inside = `${text} of namespaces ${formatLabelSelector(namespaceSelector) || "of any labels"}`;
  if (!there) return undefined;
  if (there.length === 0) return inside;
  const all = view.list(pods, { labelSelector });
  const isThere = all?.some((pod) =>
    there.some(({ metadata }) => metadata.name === pod.metadata.namespace),
  );
  return isThere === false ? inside : undefined;
}
