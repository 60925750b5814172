import type { Namespace, Service, ServiceSpec } from "#/api/core/v1.ts";
import type { Endpoint, EndpointSlice } from "#/api/discovery/v1.ts";

export const namespaces: readonly Namespace[] = ["default", "other", "kube-system"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
  spec: {},
}));

const ready = { ready: true, serving: true, terminating: false };

function service(name: string, spec: ServiceSpec, namespace = "default"): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec };
}

const http = { name: "http", port: 80, protocol: "TCP" } as const;

export const services: readonly Service[] = [
  service("web", {
    clusterIP: "10.96.0.20",
    ports: [http, { name: "dns", port: 53, protocol: "UDP" }],
  }),
  service("web", { clusterIP: "10.96.0.21", ports: [{ port: 8080, protocol: "TCP" }] }, "other"),
  service("dual", {
    clusterIP: "10.96.0.22",
    clusterIPs: ["10.96.0.22", "fd00:10:96::22"],
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "RequireDualStack",
    ports: [http],
  }),
  service("headless", { clusterIP: "None", ports: [http] }),
  service("portless", { clusterIP: "None" }),
  service("empty", { clusterIP: "None", ports: [http] }),
  service("unready", { clusterIP: "None", ports: [http] }),
  service("outside", { type: "ExternalName", externalName: "www.example.com" }),
  service("inside", { type: "ExternalName", externalName: "web.other.svc.cluster.local" }),
];

function slice(
  name: string,
  addressType: "IPv4" | "IPv6",
  endpoints: Endpoint[],
  ports: EndpointSlice["ports"] = [{ name: "http", port: 8080, protocol: "TCP" }],
): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${addressType.toLowerCase()}`,
      namespace: "default",
      labels: { "kubernetes.io/service-name": name },
    },
    addressType,
    endpoints,
    ports,
  };
}

export const slices: readonly EndpointSlice[] = [
  slice("headless", "IPv4", [
    { addresses: ["10.244.1.1"], conditions: ready, hostname: "first" },
    { addresses: ["10.244.1.2"], conditions: ready },
    { addresses: ["10.244.1.3"], conditions: { ...ready, ready: false }, hostname: "third" },
  ]),
  slice("headless", "IPv6", [
    { addresses: ["fd00:10:244::1"], conditions: ready, hostname: "first" },
    { addresses: ["fd00:10:244::2"], conditions: ready },
  ]),
  slice("portless", "IPv4", [{ addresses: ["10.244.1.4"], conditions: ready }], []),
  slice("unready", "IPv4", [{ addresses: ["10.244.1.5"], conditions: { ready: false } }]),
  slice("web", "IPv4", [{ addresses: ["10.244.1.6"], conditions: ready, hostname: "backend" }]),
];

const zone = "cluster.local";
const names = [
  zone,
  `svc.${zone}`,
  `pod.${zone}`,
  `foo.${zone}`,
  `default.svc.${zone}`,
  `nowhere.svc.${zone}`,
  `default.pod.${zone}`,
  `dns-version.${zone}`,
  `web.default.svc.${zone}`,
  `WEB.Default.svc.${zone}`,
  `web.other.svc.${zone}`,
  `none.default.svc.${zone}`,
  `web.nowhere.svc.${zone}`,
  `dual.default.svc.${zone}`,
  `headless.default.svc.${zone}`,
  `first.headless.default.svc.${zone}`,
  `10-244-1-2.headless.default.svc.${zone}`,
  `third.headless.default.svc.${zone}`,
  `fd00-10-244--2.headless.default.svc.${zone}`,
  `backend.web.default.svc.${zone}`,
  `portless.default.svc.${zone}`,
  `empty.default.svc.${zone}`,
  `unready.default.svc.${zone}`,
  `_http._tcp.web.default.svc.${zone}`,
  `_dns._udp.web.default.svc.${zone}`,
  `_http._udp.web.default.svc.${zone}`,
  `_http._tcp.dual.default.svc.${zone}`,
  `_http._tcp.headless.default.svc.${zone}`,
  `_none._tcp.headless.default.svc.${zone}`,
  `_tcp.web.default.svc.${zone}`,
  `a._http._tcp.web.default.svc.${zone}`,
  `inside.default.svc.${zone}`,
  `10-244-1-9.default.pod.${zone}`,
  `10-244-1-9.nowhere.pod.${zone}`,
  `fd00--9.default.pod.${zone}`,
  `x.default.pod.${zone}`,
];

/** The questions whose answers are recorded and compared. */
export const questions: readonly { readonly name: string; readonly type: string }[] = [
  ...names.flatMap((name) =>
    ["A", "AAAA", "SRV", "TXT", "CNAME", "MX"].map((type) => ({ name, type })),
  ),
  { name: zone, type: "SOA" },
  { name: `web.default.svc.${zone}`, type: "SOA" },
  { name: `web.default.svc.${zone}`, type: "NS" },
  { name: `outside.default.svc.${zone}`, type: "CNAME" },
  ...[
    "20.0.96.10.in-addr.arpa",
    "1.1.244.10.in-addr.arpa",
    "6.1.244.10.in-addr.arpa",
    "2.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.1.0.0.0.0.d.f.ip6.arpa",
    "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.4.4.2.0.0.1.0.0.0.0.d.f.ip6.arpa",
  ].map((name) => ({ name, type: "PTR" })),
];
