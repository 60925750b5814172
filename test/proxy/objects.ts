import type { Node, Service, ServiceSpec } from "#/api/core/v1.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "#/api/discovery/v1.ts";

/** The node whose rules are recorded and compared. */
export const nodeName = "n1";
export const nodeIps = { IPv4: "192.168.9.1", IPv6: "fd00:9::1" } as const;
export const clusterCidr = "10.244.0.0/16,fd00:10:244::/56";
export const serviceCidrs = ["10.96.0.0/16", "fd00:10:96::/112"] as const;

export const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: nodeName, labels: { "topology.kubernetes.io/zone": "z1" } },
  spec: {},
  status: {
    addresses: [
      { type: "InternalIP", address: nodeIps.IPv4 },
      { type: "InternalIP", address: nodeIps.IPv6 },
    ],
  },
};

const here = { nodeName: "n1", conditions: { ready: true, serving: true, terminating: false } };
const there = { ...here, nodeName: "n2" };
const leaving = { ready: false, serving: true, terminating: true };
const gone = { ready: false, serving: false, terminating: true };
const web: readonly EndpointPort[] = [{ name: "", port: 8080, protocol: "TCP" }];

interface Sample {
  readonly spec: Partial<ServiceSpec>;
  readonly ingress?: readonly { ip: string; ipMode?: "VIP" | "Proxy" }[];
  readonly ports?: readonly EndpointPort[];
  readonly endpoints?: readonly Endpoint[];
  readonly endpoints6?: readonly Endpoint[];
}

const pod = (last: number, of: Omit<Endpoint, "addresses">): Endpoint => {
  return { addresses: [`10.244.${of.nodeName === "n1" ? 1 : 2}.${last}`], ...of };
};
const pod6 = (last: number, of: Omit<Endpoint, "addresses">): Endpoint => {
  return { addresses: [`fd00:10:244:${of.nodeName === "n1" ? 1 : 2}::${last}`], ...of };
};
const httpPort = { port: 80, protocol: "TCP", targetPort: 8080 } as const;

/** A service of each kind that rules differ for. */
const samples: Readonly<Record<string, Sample>> = {
  /** The one that every API server creates. */
  kubernetes: {
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, protocol: "TCP" }] },
    ports: [{ name: "https", port: 6443, protocol: "TCP" }],
    endpoints: [{ addresses: [nodeIps.IPv4], conditions: { ready: true } }],
  },
  plain: {
    spec: { clusterIP: "10.96.0.11" },
    endpoints: [pod(1, here), pod(2, there), pod(3, there)],
  },
  single: { spec: { clusterIP: "10.96.0.12" }, endpoints: [pod(1, here)] },
  empty: { spec: { clusterIP: "10.96.0.13" } },
  ports: {
    spec: {
      clusterIP: "10.96.0.14",
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
        { name: "sctp", port: 99, protocol: "SCTP" },
      ],
    },
    ports: [
      { name: "dns", port: 5353, protocol: "UDP" },
      { name: "dns-tcp", port: 5353, protocol: "TCP" },
      { name: "sctp", port: 9999, protocol: "SCTP" },
    ],
    endpoints: [pod(4, here), pod(5, there)],
  },
  sticky: {
    spec: {
      clusterIP: "10.96.0.15",
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
    },
    endpoints: [pod(6, here), pod(7, there)],
  },
  nodeport: {
    spec: { clusterIP: "10.96.0.16", type: "NodePort", ports: [{ ...httpPort, nodePort: 30_016 }] },
    endpoints: [pod(8, here), pod(9, there)],
  },
  "nodeport-empty": {
    spec: { clusterIP: "10.96.0.17", type: "NodePort", ports: [{ ...httpPort, nodePort: 30_017 }] },
  },
  "external-ip": {
    spec: { clusterIP: "10.96.0.18", externalIPs: ["172.30.0.18"] },
    endpoints: [pod(10, there)],
  },
  balanced: {
    spec: {
      clusterIP: "10.96.0.19",
      type: "LoadBalancer",
      ports: [{ ...httpPort, nodePort: 30_019 }],
      loadBalancerSourceRanges: ["192.168.9.0/24", " 172.31.0.0/16"],
    },
    ingress: [{ ip: "172.30.0.19" }, { ip: "172.30.0.20", ipMode: "Proxy" }],
    endpoints: [pod(11, here), pod(12, there)],
  },
  "balanced-local": {
    spec: {
      clusterIP: "10.96.0.21",
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 32_021,
      ports: [{ ...httpPort, nodePort: 30_021 }],
      loadBalancerSourceRanges: ["203.0.113.0/24"],
    },
    ingress: [{ ip: "172.30.0.21" }],
    endpoints: [pod(13, here), pod(14, there)],
  },
  "balanced-elsewhere": {
    spec: {
      clusterIP: "10.96.0.22",
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 32_022,
      externalIPs: ["172.30.1.22"],
      ports: [{ ...httpPort, nodePort: 30_022 }],
    },
    ingress: [{ ip: "172.30.0.22" }],
    endpoints: [pod(15, there), pod(16, there)],
  },
  "internal-local": {
    spec: { clusterIP: "10.96.0.23", internalTrafficPolicy: "Local" },
    endpoints: [pod(17, here), pod(18, there)],
  },
  "internal-elsewhere": {
    spec: { clusterIP: "10.96.0.24", internalTrafficPolicy: "Local" },
    endpoints: [pod(19, there)],
  },
  leaving: {
    spec: { clusterIP: "10.96.0.25" },
    endpoints: [pod(20, { ...here, conditions: leaving }), pod(21, { ...there, conditions: gone })],
  },
  "leaving-local": {
    spec: {
      clusterIP: "10.96.0.26",
      type: "NodePort",
      externalTrafficPolicy: "Local",
      ports: [{ ...httpPort, nodePort: 30_026 }],
    },
    endpoints: [pod(22, { ...here, conditions: leaving }), pod(23, there)],
  },
  zones: {
    spec: { clusterIP: "10.96.0.27" },
    endpoints: [
      pod(24, { ...here, hints: { forZones: [{ name: "z1" }] } }),
      pod(25, { ...there, hints: { forZones: [{ name: "z2" }] } }),
    ],
  },
  nodes: {
    spec: { clusterIP: "10.96.0.28" },
    endpoints: [
      pod(26, { ...here, hints: { forNodes: [{ name: "n1" }] } }),
      pod(27, { ...there, hints: { forNodes: [{ name: "n2" }] } }),
    ],
  },
  dual: {
    spec: {
      clusterIP: "10.96.0.29",
      clusterIPs: ["10.96.0.29", "fd00:10:96::1d"],
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "RequireDualStack",
      type: "NodePort",
      ports: [{ ...httpPort, nodePort: 30_029 }],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
    },
    endpoints: [pod(28, here), pod(29, there)],
    endpoints6: [pod6(28, here), pod6(29, there)],
  },
  six: {
    spec: { clusterIP: "fd00:10:96::1e", ipFamilies: ["IPv6"] },
    endpoints6: [pod6(30, here), pod6(31, there), pod6(32, there)],
  },
  /** Shares its endpoint with `single`. */
  alias: { spec: { clusterIP: "10.96.0.31" }, endpoints: [pod(1, here)] },
  headless: { spec: { clusterIP: "None" }, endpoints: [pod(33, here)] },
  elsewhere: { spec: { type: "ExternalName", externalName: "example.com" } },
};

/** The same services as objects of the API. */
export const services: readonly Service[] = Object.entries(samples).map(([name, sample]) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: {
    ports: [httpPort],
    type: "ClusterIP",
    ...(sample.spec.clusterIP
      ? { clusterIPs: [sample.spec.clusterIP], ipFamilies: ["IPv4"] as const }
      : {}),
    ...sample.spec,
  },
  status: { loadBalancer: { ingress: [...(sample.ingress ?? [])] } },
}));

export const slices: readonly EndpointSlice[] = Object.entries(samples).flatMap(
  ([name, sample]) => [
    ...sliceOf(name, sample, "IPv4", sample.endpoints),
    ...sliceOf(name, sample, "IPv6", sample.endpoints6),
  ],
);

function sliceOf(
  name: string,
  { ports, spec }: Sample,
  addressType: "IPv4" | "IPv6",
  endpoints: readonly Endpoint[] | undefined,
): EndpointSlice[] {
  if (!endpoints) return [];
  const headless = spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return [
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: `${name}-${addressType.toLowerCase()}`,
        namespace: "default",
        labels: { "kubernetes.io/service-name": name, ...headless },
      },
      addressType,
      endpoints: [...endpoints],
      ports: [...(ports ?? web)],
    },
  ];
}
