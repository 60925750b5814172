import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { create, merge, read, services, update } from "./steps.ts";

const service = (spec: object, metadata: object = { name: "a" }): object =>
  objectOf("v1", "Service", { spec }, metadata);
const port = { port: 80 };
const item = `${services}/a`;
const withVersion =
  (change: (object: { spec: Record<string, unknown> }) => object) =>
  (answers: readonly unknown[]): unknown => {
    const last = answers.at(-1) as { spec: Record<string, unknown> };
    return { ...last, spec: { ...last.spec, ...change(last) } };
  };

/** A Service that is created and then replaced by one with some fields of its spec changed. */
const replaced = (name: string, spec: object, change: object): Case => ({
  name,
  steps: [
    create(services, service(spec)),
    update(
      item,
      withVersion(() => change),
    ),
    read(item),
  ],
});

const lists = createEach(services, {
  "no ports": service({}),
  "no spec": objectOf("v1", "Service", {}),
  plain: service({ ports: [port], selector: { app: "x" } }),
  "two ports without names": service({ ports: [port, { port: 81 }] }),
  "two ports of a name": service({
    ports: [
      { ...port, name: "a" },
      { port: 81, name: "a" },
    ],
  }),
  "port name in capitals": service({ ports: [{ ...port, name: "A_b" }] }),
  "port 0": service({ ports: [{ port: 0 }] }),
  "port 70000": service({ ports: [{ port: 70000 }] }),
  "protocol FTP": service({ ports: [{ ...port, protocol: "FTP" }] }),
  "target port 0": service({ ports: [{ ...port, targetPort: 0 }] }),
  "target port -1": service({ ports: [{ ...port, targetPort: -1 }] }),
  "target port with a bad name": service({ ports: [{ ...port, targetPort: "UPPER--x" }] }),
  "app protocol": service({ ports: [{ ...port, appProtocol: "kubernetes.io/h2c" }] }),
  "app protocol with a space": service({ ports: [{ ...port, appProtocol: "a b" }] }),
  "the same port twice": service({
    ports: [
      { ...port, name: "a" },
      { ...port, name: "b" },
    ],
  }),
  "TCP and UDP": service({
    ports: [
      { ...port, name: "a" },
      { ...port, name: "b", protocol: "UDP" },
    ],
  }),
  "node port on ClusterIP": service({ ports: [{ ...port, nodePort: 30001 }] }),
  "type Unknown": service({ type: "Unknown", ports: [port] }),
  headless: service({ clusterIP: "None", ports: [port], selector: { a: "b" } }),
  "headless without selector": service({ clusterIP: "None" }),
  "headless with affinity": service({
    clusterIP: "None",
    selector: { a: "b" },
    sessionAffinity: "ClientIP",
    externalIPs: ["1.2.3.4"],
    loadBalancerIP: "1.2.3.4",
  }),
  "headless node port": service({ type: "NodePort", clusterIP: "None", ports: [port] }),
  "headless load balancer": service({ type: "LoadBalancer", clusterIP: "None", ports: [port] }),
  "external name": service({ type: "ExternalName", externalName: "example.com" }),
  "external name with a dot": service({ type: "ExternalName", externalName: "example.com." }),
  "no external name": service({ type: "ExternalName" }),
  "bad external name": service({ type: "ExternalName", externalName: "-a-" }),
  "external name with an address": service({
    type: "ExternalName",
    externalName: "example.com",
    clusterIP: "10.0.1.1",
  }),
  "external name with families": service({
    type: "ExternalName",
    externalName: "example.com",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Local",
  }),
  "external name elsewhere": service({ externalName: "example.com", ports: [port] }),
  "affinity Client": service({ sessionAffinity: "Client", ports: [port] }),
  "affinity ClientIP": service({ sessionAffinity: "ClientIP", ports: [port] }),
  "affinity for 0 seconds": service({
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
    ports: [port],
  }),
  "affinity for 2 days": service({
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 172800 } },
    ports: [port],
  }),
  "affinity config of none": service({
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    ports: [port],
  }),
  "address of another network": service({ clusterIP: "192.168.1.1", ports: [port] }),
  "address of the network": service({ clusterIP: "10.0.0.0", ports: [port] }),
  "address of the kubernetes service": service({ clusterIP: "10.0.0.1", ports: [port] }),
  "malformed address": service({ clusterIP: "10.0.0.256", ports: [port] }),
  "address with zeros": service({ clusterIP: "10.0.0.010", ports: [port] }),
  "mapped address": service({ clusterIP: "::ffff:10.0.0.10", ports: [port] }),
  "IPv6 address": service({ clusterIP: "fd00::1", ports: [port] }),
  "addresses only": service({ clusterIPs: ["10.0.1.2"], ports: [port] }),
  "addresses that differ": service({
    clusterIP: "10.0.1.3",
    clusterIPs: ["10.0.1.4"],
    ports: [port],
  }),
  "two IPv4 addresses": service({
    clusterIP: "10.0.1.3",
    clusterIPs: ["10.0.1.3", "10.0.1.4"],
    ports: [port],
  }),
  "three addresses": service({
    clusterIP: "10.0.1.3",
    clusterIPs: ["10.0.1.3", "fd00::1", "10.0.1.4"],
    ports: [port],
  }),
  "None and another": service({
    clusterIP: "None",
    clusterIPs: ["None", "10.0.1.4"],
    ports: [port],
  }),
  "family IPv5": service({ ipFamilies: ["IPv5"], ports: [port] }),
  "family IPv6": service({ ipFamilies: ["IPv6"], ports: [port] }),
  "family twice": service({ ipFamilies: ["IPv4", "IPv4"], ports: [port] }),
  "both families": service({ ipFamilies: ["IPv4", "IPv6"], ports: [port] }),
  "policy DualStack": service({ ipFamilyPolicy: "DualStack", ports: [port] }),
  "policy RequireDualStack": service({ ipFamilyPolicy: "RequireDualStack", ports: [port] }),
  "policy PreferDualStack": service({ ipFamilyPolicy: "PreferDualStack", ports: [port] }),
  "family and address differ": service({
    ipFamilies: ["IPv6"],
    clusterIP: "10.0.1.3",
    ports: [port],
  }),
  "external addresses": service({ externalIPs: ["1.2.3.4"], ports: [port] }),
  "bad external addresses": service({
    externalIPs: ["127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "x", "01.2.3.4", "fe80::1"],
    ports: [port],
  }),
  "external policy": service({ externalTrafficPolicy: "Local", ports: [port] }),
  "bad external policy": service({
    type: "NodePort",
    externalTrafficPolicy: "Nearby",
    ports: [{ ...port, nodePort: 30100 }],
  }),
  "bad internal policy": service({ internalTrafficPolicy: "Nearby", ports: [port] }),
  "internal policy": service({ internalTrafficPolicy: "Local", ports: [port] }),
  "distribution PreferClose": service({ trafficDistribution: "PreferClose", ports: [port] }),
  "distribution PreferSameNode": service({ trafficDistribution: "PreferSameNode", ports: [port] }),
  "distribution Far": service({ trafficDistribution: "Far", ports: [port] }),
  "health check port": service({ healthCheckNodePort: 30101, ports: [port] }),
  "class of ClusterIP": service({ loadBalancerClass: "example.com/a", ports: [port] }),
  "node ports of ClusterIP": service({ allocateLoadBalancerNodePorts: true, ports: [port] }),
  "source ranges of ClusterIP": service({
    loadBalancerSourceRanges: ["10.0.0.0/8"],
    ports: [port],
  }),
  "bad source ranges": service({
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    loadBalancerSourceRanges: [" 10.0.0.0/8 ", "10.0.0.1/8", "x", "10.0.0.0/33", "FD00::/8"],
    ports: [port],
  }),
  "odd source ranges": service({
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    loadBalancerSourceRanges: ["FD00:0::/8"],
    loadBalancerIP: "FD00:0::1",
    ports: [port],
  }),
  "source ranges by annotation": service(
    { ports: [port] },
    {
      name: "a",
      annotations: { "service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8,x" },
    },
  ),
  "load balancer": service({
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    loadBalancerClass: "example.com/a",
    ports: [port],
  }),
  "bad class": service({
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    loadBalancerClass: "a b",
    ports: [port],
  }),
  "local load balancer": service({
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 30102,
    ports: [port],
  }),
  "topology annotations": service(
    { ports: [port] },
    {
      name: "a",
      annotations: {
        "service.kubernetes.io/topology-aware-hints": "auto",
        "service.kubernetes.io/topology-mode": "disabled",
      },
    },
  ),
  "deprecated hints": service(
    { ports: [port] },
    { name: "a", annotations: { "service.kubernetes.io/topology-aware-hints": "auto" } },
  ),
  "node port out of range": service({ type: "NodePort", ports: [{ ...port, nodePort: 8080 }] }),
  "node port": service({ type: "NodePort", ports: [{ ...port, nodePort: 30103 }] }),
  "node port shared": service({
    type: "NodePort",
    ports: [
      { ...port, name: "a", nodePort: 30104 },
      { ...port, name: "b", protocol: "UDP" },
    ],
  }),
  "node port twice": service({
    type: "NodePort",
    ports: [
      { port: 80, name: "a", nodePort: 30105 },
      { port: 81, name: "b", nodePort: 30105 },
    ],
  }),
  "bad selector": service({ selector: { "a b": "c d" }, ports: [port] }),
  "name with a digit first": service({ ports: [port] }, { name: "1a" }),
  "name with a dot": service({ ports: [port] }, { name: "a.b" }),
  "long name": service({ ports: [port] }, { name: "a".repeat(64) }),
  "status is ignored": objectOf("v1", "Service", {
    spec: { ports: [port] },
    status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
  }),
});

const nodePort = { type: "NodePort", ports: [{ ...port, nodePort: 30110 }] };
const balancer = {
  type: "LoadBalancer",
  allocateLoadBalancerNodePorts: false,
  ports: [port],
};

const changes: Case[] = [
  replaced("change of address", { ports: [port] }, { clusterIP: "10.0.1.9" }),
  replaced("address unset", { ports: [port] }, { clusterIP: "", clusterIPs: [] }),
  replaced("to headless", { ports: [port] }, { clusterIP: "None", clusterIPs: ["None"] }),
  replaced(
    "headless to address",
    { clusterIP: "None", ports: [port], selector: { a: "b" } },
    {
      clusterIP: "10.0.1.10",
      clusterIPs: ["10.0.1.10"],
    },
  ),
  replaced(
    "to external name",
    { ports: [port] },
    {
      type: "ExternalName",
      externalName: "example.com",
    },
  ),
  replaced(
    "from external name",
    { type: "ExternalName", externalName: "example.com" },
    {
      type: "ClusterIP",
      ports: [port],
    },
  ),
  replaced("node port to ClusterIP", { ...nodePort }, { type: "ClusterIP" }),
  replaced(
    "node port changes",
    { type: "NodePort", ports: [{ ...port, nodePort: 30111 }] },
    {
      ports: [{ ...port, nodePort: 30112 }],
    },
  ),
  replaced(
    "node port is kept",
    { type: "NodePort", ports: [{ ...port, nodePort: 30113 }] },
    {
      ports: [{ port: 81 }],
    },
  ),
  replaced(
    "node port twice on update",
    { type: "NodePort", ports: [{ ...port, nodePort: 30114 }] },
    {
      ports: [
        { port: 80, name: "a", nodePort: 30114 },
        { port: 81, name: "b", nodePort: 30114 },
      ],
    },
  ),
  replaced(
    "class changes",
    { ...balancer, loadBalancerClass: "example.com/a" },
    {
      loadBalancerClass: "example.com/b",
    },
  ),
  replaced("load balancer to ClusterIP", balancer, { type: "ClusterIP" }),
  replaced(
    "health check port changes",
    {
      ...balancer,
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30115,
    },
    { healthCheckNodePort: 30116 },
  ),
  replaced(
    "local to cluster policy",
    {
      ...balancer,
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30117,
    },
    { externalTrafficPolicy: "Cluster" },
  ),
  replaced("families change", { clusterIP: "10.0.1.11", ports: [port] }, { ipFamilies: ["IPv6"] }),
  replaced("policy changes", { ports: [port] }, { ipFamilyPolicy: "RequireDualStack" }),
  replaced("policy is preferred", { ports: [port] }, { ipFamilyPolicy: "PreferDualStack" }),
  replaced("ports go", { ports: [port] }, { ports: [] }),
  {
    name: "address and node port are taken, and free again",
    steps: [
      create(
        services,
        service({
          type: "NodePort",
          clusterIP: "10.0.1.20",
          ports: [{ ...port, nodePort: 30120 }],
        }),
      ),
      create(services, service({ clusterIP: "10.0.1.20", ports: [port] }, { name: "b" })),
      create(
        services,
        service({ type: "NodePort", ports: [{ ...port, nodePort: 30120 }] }, { name: "b" }),
      ),
      create(services, service({ clusterIP: "10.0.1.20", ports: [port] }, { name: "b" }), {
        query: "dryRun=All",
      }),
      create(
        services,
        service({ type: "NodePort", ports: [{ ...port, nodePort: 30120 }] }, { name: "b" }),
        { query: "dryRun=All" },
      ),
      create(services, service({ type: "NodePort", ports: [port] }, { name: "b" }), {
        query: "dryRun=All",
      }),
      create(services, service({ clusterIP: "10.9.1.20", ports: [port] }, { name: "b" }), {
        query: "dryRun=All",
      }),
      read("/apis/networking.k8s.io/v1/ipaddresses/10.0.1.20"),
      { method: "DELETE", path: item },
      read("/apis/networking.k8s.io/v1/ipaddresses/10.0.1.20"),
      create(
        services,
        service(
          { type: "NodePort", clusterIP: "10.0.1.20", ports: [{ ...port, nodePort: 30120 }] },
          { name: "b" },
        ),
      ),
    ],
  },
  {
    name: "nothing is taken by what is refused",
    steps: [
      create(
        services,
        service({
          type: "NodePort",
          clusterIP: "10.0.1.21",
          ports: [{ ...port, nodePort: 30121, protocol: "X" }],
        }),
      ),
      read("/apis/networking.k8s.io/v1/ipaddresses/10.0.1.21"),
      create(
        services,
        service({
          type: "NodePort",
          clusterIP: "10.0.1.21",
          ports: [{ ...port, nodePort: 30121 }],
        }),
      ),
    ],
  },
  {
    name: "status",
    steps: [
      create(services, service(balancer)),
      merge(`${item}/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
      merge(`${item}/status`, {
        status: {
          loadBalancer: {
            ingress: [
              { ip: "x", hostname: "1.2.3.4" },
              { ipMode: "VIP" },
              { ip: "1.2.3.4", ipMode: "Other" },
            ],
          },
        },
      }),
      merge(`${item}/status`, { metadata: { labels: { a: "b" } }, spec: { type: "ClusterIP" } }),
      merge(item, { spec: { type: "ClusterIP" } }),
      merge(`${item}/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
    ],
  },
];

/** Services: refused ones, defaults, and which fields may change. */
export const coreServices: Area = { name: "core-services", cases: [...lists, ...changes] };
