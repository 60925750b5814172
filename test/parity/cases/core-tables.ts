import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { create, merge } from "./steps.ts";

const base = "/api/v1/namespaces/{ns}";
const networking = "/apis/networking.k8s.io/v1";
const asTable = (path: string): Step => ({
  method: "GET",
  path: `${path}${path.includes("?") ? "&" : "?"}includeObject=None`,
  headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
});
const table = (
  name: string,
  path: string,
  objects: readonly object[],
  more: readonly Step[] = [],
): Case => ({
  name,
  steps: [...objects.map((object) => create(path, object)), ...more, asTable(path)],
});
const service = (name: string, spec: object): object =>
  objectOf("v1", "Service", { spec }, { name });
const port = { port: 80 };
const ofName = "?fieldSelector=metadata.name%3D{ns}";

const cases: Case[] = [
  table(
    "services",
    `${base}/services`,
    [
      service("a", {
        clusterIP: "10.0.2.1",
        ports: [port, { port: 81, name: "b", protocol: "UDP" }].map((entry, index) => ({
          name: `p${index}`,
          ...entry,
        })),
        selector: { b: "c", a: "x" },
      }),
      service("b", { clusterIP: "None", selector: { a: "b" } }),
      service("c", { type: "ExternalName", externalName: "example.com" }),
      service("d", {
        type: "NodePort",
        clusterIP: "10.0.2.2",
        ports: [{ ...port, nodePort: 30200 }],
        externalIPs: ["1.2.3.4", "5.6.7.8"],
      }),
      service("e", {
        type: "LoadBalancer",
        clusterIP: "10.0.2.3",
        allocateLoadBalancerNodePorts: false,
        ports: [port],
      }),
      service("f", {
        type: "LoadBalancer",
        clusterIP: "10.0.2.4",
        allocateLoadBalancerNodePorts: false,
        ports: [port],
        externalIPs: ["1.2.3.4"],
      }),
    ],
    [
      merge(`${base}/services/f/status`, {
        status: {
          loadBalancer: {
            ingress: [{ ip: "9.9.9.9" }, { hostname: "b.example.com" }, { ip: "8.8.8.8" }],
          },
        },
      }),
    ],
  ),
  table("config maps", `${base}/configmaps`, [
    objectOf("v1", "ConfigMap", { data: { a: "1", b: "2" }, binaryData: { c: "" } }),
  ]),
  table("secrets", `${base}/secrets`, [
    objectOf("v1", "Secret", { stringData: { a: "1" }, type: "example.com/x" }),
  ]),
  table("service accounts", `${base}/serviceaccounts`, [objectOf("v1", "ServiceAccount", {})]),
  table("limit ranges", `${base}/limitranges`, [objectOf("v1", "LimitRange", { spec: {} })]),
  table(
    "quotas",
    `${base}/resourcequotas`,
    [objectOf("v1", "ResourceQuota", { spec: { hard: { pods: "1" } } })],
    [
      merge(`${base}/resourcequotas/a/status`, {
        status: {
          hard: { pods: "2", "limits.cpu": "3", cpu: "1500m" },
          used: { pods: "1", "limits.cpu": "500m" },
        },
      }),
    ],
  ),
  table("endpoints", `${base}/endpoints`, [
    objectOf("v1", "Endpoints", {}),
    objectOf(
      "v1",
      "Endpoints",
      {
        subsets: [
          {
            addresses: [{ ip: "1.2.3.4" }, { ip: "fd00::1" }],
            ports: [
              { name: "a", port: 80 },
              { name: "b", port: 81 },
            ],
          },
        ],
      },
      { name: "b" },
    ),
    objectOf("v1", "Endpoints", { subsets: [{ addresses: [{ ip: "1.2.3.4" }] }] }, { name: "c" }),
  ]),
  table(
    "claims",
    `${base}/persistentvolumeclaims`,
    [
      objectOf("v1", "PersistentVolumeClaim", {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          volumeName: "v",
          storageClassName: "s",
        },
      }),
    ],
    [
      merge(`${base}/persistentvolumeclaims/a/status`, {
        status: {
          phase: "Bound",
          capacity: { storage: "2Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        },
      }),
    ],
  ),
  {
    name: "volumes",
    steps: [
      create(
        "/api/v1/persistentvolumes",
        objectOf(
          "v1",
          "PersistentVolume",
          {
            spec: {
              capacity: { storage: "1Gi" },
              accessModes: ["ReadOnlyMany", "ReadWriteOnce"],
              hostPath: { path: "/a" },
              claimRef: { namespace: "x", name: "y" },
            },
          },
          { name: "{ns}" },
        ),
      ),
      asTable(`/api/v1/persistentvolumes${ofName}`),
    ],
  },
  {
    name: "nodes",
    steps: [
      create(
        "/api/v1/nodes",
        objectOf(
          "v1",
          "Node",
          {
            spec: { unschedulable: true },
            status: {
              conditions: [{ type: "Ready", status: "False" }],
              addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
              nodeInfo: {
                kubeletVersion: "v1",
                kernelVersion: "6.0",
                architecture: "amd64",
                osImage: "x",
                containerRuntimeVersion: "y",
                machineID: "",
                systemUUID: "",
                bootID: "",
                kubeProxyVersion: "",
                operatingSystem: "linux",
              },
            },
          },
          {
            name: "{ns}",
            labels: {
              "node-role.kubernetes.io/b": "",
              "node-role.kubernetes.io/a": "",
              "kubernetes.io/role": "c",
            },
          },
        ),
      ),
      asTable(`/api/v1/nodes${ofName}`),
    ],
  },
  { name: "namespaces", steps: [asTable(`/api/v1/namespaces${ofName}`)] },
  table("ingresses", `${networking}/namespaces/{ns}/ingresses`, [
    objectOf("networking.k8s.io/v1", "Ingress", {
      spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } },
    }),
    objectOf(
      "networking.k8s.io/v1",
      "Ingress",
      {
        spec: {
          ingressClassName: "x",
          rules: ["a", "b", "c", "d", "e"].map((host) => ({ host })),
          tls: [{ hosts: ["a"] }],
        },
      },
      { name: "b" },
    ),
  ]),
  table("policies", `${networking}/namespaces/{ns}/networkpolicies`, [
    objectOf("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {} } }),
    objectOf(
      "networking.k8s.io/v1",
      "NetworkPolicy",
      { spec: { podSelector: { matchLabels: { a: "b" } } } },
      { name: "b" },
    ),
  ]),
  {
    name: "classes",
    steps: [
      create(
        `${networking}/ingressclasses`,
        objectOf(
          "networking.k8s.io/v1",
          "IngressClass",
          {
            spec: {
              controller: "example.com/a",
              parameters: { apiGroup: "b.c", kind: "K", name: "n" },
            },
          },
          { name: "{ns}", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        ),
      ),
      asTable(`${networking}/ingressclasses${ofName}`),
      { method: "DELETE", path: `${networking}/ingressclasses/{ns}` },
    ],
  },
  { name: "networks", steps: [asTable(`${networking}/servicecidrs`)] },
  {
    name: "addresses",
    steps: [asTable(`${networking}/ipaddresses?fieldSelector=metadata.name%3D10.0.0.1`)],
  },
  table("slices", "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices", [
    objectOf("discovery.k8s.io/v1", "EndpointSlice", { addressType: "IPv4", endpoints: [] }),
    objectOf(
      "discovery.k8s.io/v1",
      "EndpointSlice",
      {
        addressType: "IPv4",
        endpoints: ["1.2.3.4", "1.2.3.5", "1.2.3.6", "1.2.3.7"].map((ip) => ({ addresses: [ip] })),
        ports: [{ name: "a", port: 80 }, { name: "b" }, { name: "" }],
      },
      { name: "b" },
    ),
  ]),
  table("leases", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", [
    objectOf("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "x" } }),
  ]),
  table("events", `${base}/events`, [
    objectOf("v1", "Event", {
      involvedObject: { kind: "Pod", name: "x", namespace: "{ns}", fieldPath: "f" },
      reason: "r",
      message: " m ",
      type: "Normal",
      source: { component: "c", host: "h" },
    }),
    objectOf(
      "v1",
      "Event",
      {
        involvedObject: { kind: "Pod", namespace: "{ns}" },
        count: 3,
        eventTime: "2010-01-01T00:00:00.000000Z",
        reportingComponent: "c",
        reportingInstance: "i",
        action: "a",
        reason: "r",
      },
      { name: "b" },
    ),
  ]),
];

/** The tables of `kubectl get`. */
export const coreTables: Area = { name: "core-tables", cases };
