import type { Namespace, Node, Pod } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { formatIp, parseNetIp } from "#/std/net/ip.ts";
import type { Protocol } from "../model/policy.ts";
import type { Member, NamedPort } from "../plan/member-index.ts";

export const podKey = (namespace: string, name: string): string => `pods/${namespace}/${name}`;

/** A Pod that has addresses of its own: policies say nothing about the network of its node. */
export const hasOwnNetwork = ({ spec }: Pod): boolean => spec?.hostNetwork !== true;

/** Addresses of a Pod that has ended may be those of another one. */
const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** A Pod as policies see it; `ips` are those that its sandbox has, before its status has them. */
export function podMember(pod: Pod, ips: readonly string[] = []): Member {
  const { namespace = "", name = "", labels = {}, creationTimestamp = "", uid = "" } = pod.metadata;
  const reported = hasEnded(pod) ? [] : (pod.status?.podIPs ?? []).map(({ ip }) => ip);
  return {
    key: podKey(namespace, name),
    of: "pods",
    namespace,
    name,
    labels,
    ips: canonical([...ips, ...reported]),
    ports: namedPorts(pod),
    age: `${creationTimestamp} ${uid}`,
  };
}

/** A Node, for policies that name nodes. */
export function nodeMember({ metadata, status }: Node): Member {
  const { name = "", labels = {} } = metadata;
  const addresses = (status?.addresses ?? []).filter(({ type }) => type.endsWith("IP"));
  return {
    key: `nodes/${name}`,
    of: "nodes",
    namespace: "",
    name,
    labels,
    ips: canonical(addresses.map(({ address }) => address)),
    ports: [],
    age: "",
  };
}

/**
 * The cluster's DNS where it is no Pod, from its slices: policies select it by the labels that its Pods have in other
 * clusters. Undefined if it has Pods.
 */
export function dnsMember(slices: readonly EndpointSlice[]): Member | undefined {
  const own = slices.filter(({ endpoints }) => endpoints?.some(({ targetRef }) => !targetRef));
  if (own.length === 0) return undefined;
  const addresses = own.flatMap(({ endpoints = [] }) =>
    endpoints.flatMap((endpoint) => endpoint.addresses),
  );
  return {
    key: dnsKey,
    of: "pods",
    namespace: "kube-system",
    name: "kube-dns",
    labels: { "k8s-app": "kube-dns" },
    ips: canonical(addresses).sort(),
    ports: (own[0]?.ports ?? []).flatMap(({ name = "", protocol = "UDP", port }) =>
      port === undefined ? [] : [{ name, protocol: protocol as Protocol, port }],
    ),
    isService: true,
    age: "",
  };
}

/** No name of a Pod has a space. */
export const dnsKey = "the cluster's DNS";

/** A Pod without what policies do not ask about: there may be 10,000. */
export function slimPod({ metadata, spec, status, ...pod }: Pod): Pod {
  const { namespace, name, uid, labels, creationTimestamp, resourceVersion } = metadata;
  const slim = (containers: NonNullable<Pod["spec"]>["containers"] = []) =>
    containers.flatMap(({ name: container, ports, restartPolicy }) => {
      const named = ports?.filter((port) => port.name);
      return named?.length ? [{ name: container, ports: named, restartPolicy }] : [];
    });
  return {
    ...pod,
    metadata: { namespace, name, uid, labels, creationTimestamp, resourceVersion },
    spec: {
      containers: slim(spec?.containers),
      initContainers: slim(spec?.initContainers),
      nodeName: spec?.nodeName,
      hostNetwork: spec?.hostNetwork,
    },
    status: { phase: status?.phase, podIPs: status?.podIPs },
  } as Pod;
}

/** Nodes report their status all the time; only these parts are used here. */
export function slimPolicyNode({ metadata, spec, status, ...node }: Node): Node {
  const { name, uid, labels, creationTimestamp, resourceVersion } = metadata;
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => type === "Ready")
    .map(({ type, status: value }) => ({ type, status: value }));
  return {
    ...node,
    metadata: { name, uid, labels, creationTimestamp, resourceVersion },
    spec: { podCIDR: spec?.podCIDR, podCIDRs: spec?.podCIDRs },
    status: { addresses: status?.addresses ?? [], conditions },
  } as Node;
}

export function slimNamespace({ metadata, ...namespace }: Namespace): Namespace {
  const { name, uid, labels, resourceVersion } = metadata;
  return { ...namespace, metadata: { name, uid, labels, resourceVersion } } as Namespace;
}

function namedPorts({ spec }: Pod): NamedPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, protocol = "TCP", containerPort }) =>
      name ? [{ name, protocol: protocol as Protocol, port: containerPort }] : [],
    ),
  );
}

/** One text for each address, as the kernel prints it. */
function canonical(ips: readonly string[]): string[] {
  const parsed = ips.flatMap((text) => {
    const ip = parseNetIp(text);
    return ip ? [formatIp(ip)] : [];
  });
  return [...new Set(parsed)];
}
