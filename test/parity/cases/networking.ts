import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { create, merge, read, update } from "./steps.ts";

const group = "/apis/networking.k8s.io/v1";
const ingresses = `${group}/namespaces/{ns}/ingresses`;
const policies = `${group}/namespaces/{ns}/networkpolicies`;
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const oldEvents = "/api/v1/namespaces/{ns}/events";
const newEvents = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const networking = "networking.k8s.io/v1";
const ingress = (spec: object, metadata?: object): object =>
  objectOf(networking, "Ingress", { spec }, metadata);
const policy = (spec: object): object => objectOf(networking, "NetworkPolicy", { spec });
const cidr = (cidrs: readonly string[]): object =>
  objectOf(networking, "ServiceCIDR", { spec: { cidrs } }, { name: "{ns}" });
const ingressClass = (spec: object): object =>
  objectOf(networking, "IngressClass", { spec }, { name: "{ns}" });
const slice = (content: object, metadata?: object): object =>
  objectOf("discovery.k8s.io/v1", "EndpointSlice", content, metadata);
const lease = (spec: object, metadata?: object): object =>
  objectOf("coordination.k8s.io/v1", "Lease", { spec }, metadata);
const backend = { service: { name: "a", port: { number: 80 } } };
const rule = (path: object): object => ({ rules: [{ http: { paths: [{ backend, ...path }] } }] });

const ingressCases = createEach(ingresses, {
  "ingress: default backend": ingress({ defaultBackend: backend }),
  "ingress: empty": ingress({}),
  "ingress: both backends": ingress({
    defaultBackend: { ...backend, resource: { kind: "a", name: "b" } },
  }),
  "ingress: no backend": ingress({ defaultBackend: {} }),
  "ingress: bad backend": ingress({
    defaultBackend: { service: { name: "A_", port: { name: "x", number: 1 } } },
  }),
  "ingress: no port": ingress({ defaultBackend: { service: { name: "" } } }),
  "ingress: bad resource": ingress({
    defaultBackend: { resource: { apiGroup: "A b", kind: "", name: "a/b" } },
  }),
  "ingress: no path type": ingress(rule({ path: "/" })),
  "ingress: bad path type": ingress(rule({ path: "/", pathType: "Foo" })),
  "ingress: relative path": ingress(rule({ path: "a", pathType: "Exact" })),
  "ingress: bad path": ingress(rule({ path: "/a//b/../c/..", pathType: "Prefix" })),
  "ingress: free path": ingress(rule({ pathType: "ImplementationSpecific" })),
  "ingress: no paths": ingress({ rules: [{ http: { paths: [] } }] }),
  "ingress: bad hosts": ingress({
    defaultBackend: backend,
    rules: [{ host: "1.2.3.4" }, { host: "*.a" }, { host: "a.*" }, { host: "A_" }],
    tls: [{ hosts: ["*.a", "a.*", "A_"], secretName: "A_" }],
    ingressClassName: "A_",
  }),
  "ingress: class twice": ingress(
    { defaultBackend: backend, ingressClassName: "a" },
    { name: "a", annotations: { "kubernetes.io/ingress.class": "b" } },
  ),
  "ingress: old class": ingress(
    { defaultBackend: backend },
    { name: "a", annotations: { "kubernetes.io/ingress.class": "b" } },
  ),
});

const policyCases = createEach(policies, {
  "policy: empty": policy({}),
  "policy: egress": policy({ podSelector: {}, egress: [{ ports: [{ port: 80 }] }] }),
  "policy: bad ports": policy({
    podSelector: {},
    ingress: [
      {
        ports: [
          { port: 0, protocol: "X" },
          { port: "A", endPort: 5 },
          { endPort: 5 },
          { port: 10, endPort: 5 },
          { port: 10, endPort: 70000 },
        ],
      },
    ],
  }),
  "policy: bad peers": policy({
    podSelector: { matchExpressions: [{ key: "a", operator: "Foo" }] },
    ingress: [
      {
        from: [
          {},
          { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } },
          { ipBlock: { cidr: "" } },
          { ipBlock: { cidr: "x" } },
          { ipBlock: { cidr: "10.0.0.1/8", except: ["10.0.0.0/8", "11.0.0.0/16", "x"] } },
        ],
      },
    ],
    policyTypes: ["Foo"],
  }),
  "policy: three types": policy({ podSelector: {}, policyTypes: ["Ingress", "Egress", "Ingress"] }),
});

const otherCases = [
  ...createEach(`${group}/ingressclasses`, {
    "class: plain": ingressClass({ controller: "example.com/a" }),
    "class: empty": ingressClass({}),
    "class: parameters": ingressClass({
      controller: "example.com/a",
      parameters: { kind: "A", name: "b" },
    }),
    "class: bad parameters": ingressClass({
      controller: "a",
      parameters: { kind: "", name: "", scope: "Foo", apiGroup: "A b" },
    }),
    "class: namespaced parameters": ingressClass({
      controller: "example.com/a",
      parameters: { kind: "a/b", name: "b", scope: "Namespace" },
    }),
    "class: cluster parameters": ingressClass({
      controller: "example.com/a",
      parameters: { kind: "a", name: "b", scope: "Cluster", namespace: "x" },
    }),
  }),
  ...createEach(`${group}/servicecidrs`, {
    "network: none": cidr([]),
    "network: three": cidr(["10.1.0.0/16", "fd00::/64", "10.2.0.0/16"]),
    "network: malformed": cidr(["10.1.0.1/16"]),
    "network: odd": cidr(["FD00::/64"]),
    "network: two of a family": cidr(["10.1.0.0/16", "10.2.0.0/16"]),
  }),
  ...createEach(`${group}/ipaddresses`, {
    "address: bad name": objectOf(networking, "IPAddress", { spec: {} }),
    "address: no parent": objectOf(networking, "IPAddress", { spec: {} }, { name: "10.77.0.1" }),
    "address: bad parent": objectOf(
      networking,
      "IPAddress",
      { spec: { parentRef: { group: "A b", resource: "", name: "a/b", namespace: "x/y" } } },
      { name: "10.77.0.2" },
    ),
    "address: odd name": objectOf(
      networking,
      "IPAddress",
      { spec: { parentRef: { resource: "a", name: "b" } } },
      { name: "FD00::1" },
    ),
  }),
  ...createEach(slices, {
    "slice: plain": slice({
      addressType: "IPv4",
      endpoints: [{ addresses: ["1.2.3.4"], deprecatedTopology: { a: "b" } }],
      ports: [{ port: 80 }],
    }),
    "slice: no type": slice({ endpoints: [{ addresses: [] }] }),
    "slice: bad type": slice({ addressType: "Foo", endpoints: [{ addresses: ["x"] }] }),
    "slice: names": slice({
      addressType: "FQDN",
      endpoints: [{ addresses: ["example.com", "a"] }],
    }),
    "slice: bad IPv4": slice({
      addressType: "IPv4",
      endpoints: [{ addresses: ["fd00::1", "127.0.0.1", "x"], nodeName: "A_", hostname: "A_" }],
    }),
    "slice: bad IPv6": slice({
      addressType: "IPv6",
      endpoints: [{ addresses: ["FD00::1", "1.2.3.4", "::1"] }],
    }),
    "slice: bad ports": slice({
      addressType: "IPv4",
      endpoints: [],
      ports: [{ name: "A" }, { protocol: "X" }, { appProtocol: "a b" }],
    }),
    "slice: hints": slice({
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["1.2.3.4"],
          hints: {
            forZones: [{ name: "a" }, { name: "a" }, { name: "x y" }],
            forNodes: [{ name: "A_" }],
          },
        },
      ],
    }),
  }),
  ...createEach(leases, {
    "lease: plain": lease({ holderIdentity: "x", leaseDurationSeconds: 10 }),
    "lease: bad numbers": lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
    "lease: strategy": lease({ strategy: "Foo", preferredHolder: "x" }),
  }),
];

const event = (content: object, metadata?: object): object =>
  objectOf("v1", "Event", content, metadata);
const newEvent = (content: object, metadata?: object): object =>
  objectOf("events.k8s.io/v1", "Event", content, metadata);
const involved = { kind: "Pod", name: "x", namespace: "{ns}" };
const complete = {
  eventTime: "2010-01-01T00:00:00.000000Z",
  reportingController: "example.com/a",
  reportingInstance: "b",
  action: "c",
  reason: "d",
  type: "Normal",
  regarding: involved,
  note: "hello",
};

const eventCases: Case[] = [
  ...createEach(oldEvents, {
    "event: plain": event({ involvedObject: involved, reason: "a", message: "b", count: 1 }),
    "event: of nothing": event({}),
    "event: of another namespace": event({ involvedObject: { ...involved, namespace: "y" } }),
    "event: incomplete": event({
      involvedObject: involved,
      eventTime: "2010-01-01T00:00:00.000000Z",
    }),
    "event: too long": event({
      involvedObject: involved,
      eventTime: "2010-01-01T00:00:00.000000Z",
      reportingComponent: "a b",
      reportingInstance: "x".repeat(129),
      action: "x".repeat(129),
      reason: "x".repeat(129),
      message: "x".repeat(1025),
    }),
  }),
  ...createEach(newEvents, {
    "new event: plain": newEvent(complete),
    "new event: empty": newEvent({}),
    "new event: old fields": newEvent({
      ...complete,
      type: "Other",
      series: { count: 1 },
      deprecatedCount: 1,
      deprecatedFirstTimestamp: "2010-01-01T00:00:00Z",
      deprecatedSource: { component: "x" },
    }),
  }),
  {
    name: "event in both groups",
    steps: [
      create(newEvents, newEvent(complete)),
      read(`${oldEvents}/a`),
      read(`${oldEvents}?fieldSelector=involvedObject.name%3Dx%2Creason%3Dd`),
      read(`${newEvents}?fieldSelector=regarding.name%3Dx`),
      read(`${newEvents}?fieldSelector=involvedObject.name%3Dx`),
      read(`${oldEvents}?fieldSelector=regarding.name%3Dx`),
      merge(`${newEvents}/a`, { note: "other", series: { count: 2 } }),
      merge(`${newEvents}/a`, {
        series: { count: 2, lastObservedTime: "2010-01-01T00:00:01.000000Z" },
      }),
      merge(`${oldEvents}/a`, { message: "other" }),
    ],
  },
];

const changeCases: Case[] = [
  {
    name: "ingress changes",
    steps: [
      create(ingresses, ingress({ defaultBackend: backend })),
      merge(`${ingresses}/a`, { metadata: { labels: { a: "b" } } }),
      merge(`${ingresses}/a`, { spec: { ingressClassName: "x" } }),
      merge(`${ingresses}/a/status`, {
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
      }),
      merge(`${ingresses}/a/status`, {
        status: { loadBalancer: { ingress: [{ ip: "x", hostname: "1.2.3.4" }] } },
      }),
    ],
  },
  {
    name: "slice changes",
    steps: [
      create(slices, slice({ addressType: "IPv4", endpoints: [] })),
      merge(`${slices}/a`, { addressType: "IPv6" }),
      merge(`${slices}/a`, { metadata: { labels: { a: "b" } } }),
      merge(`${slices}/a`, { metadata: { annotations: { a: "b" } } }),
      merge(`${slices}/a`, { endpoints: [{ addresses: ["1.2.3.4"] }] }),
    ],
  },
  {
    name: "lease needs a version",
    steps: [
      update(`${leases}/a`, lease({ holderIdentity: "x" })),
      update(`${leases}/a`, lease({ holderIdentity: "y" })),
    ],
  },
  {
    name: "class changes",
    steps: [
      create(`${group}/ingressclasses`, ingressClass({ controller: "example.com/a" })),
      merge(`${group}/ingressclasses/{ns}`, { spec: { controller: "example.com/b" } }),
    ],
  },
];

/** The groups around Services: networking, discovery, coordination and events. */
export const networkingArea: Area = {
  name: "networking",
  cases: [...ingressCases, ...policyCases, ...otherCases, ...eventCases, ...changeCases],
};
