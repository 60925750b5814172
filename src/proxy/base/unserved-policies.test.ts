import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServicePort, ServiceSpec } from "#/api/core/v1.ts";
import { ServiceTracker } from "./service-tracker.ts";
import { UnservedPolicies } from "./unserved-policies.ts";

const ports: ServicePort[] = [
  { name: "a", port: 80, protocol: "TCP", nodePort: 30_001 },
  { name: "b", port: 81, protocol: "TCP", nodePort: 30_002 },
];
const nodePorts = { type: "NodePort", ports } as const;
const both = { externalTrafficPolicy: "Local", internalTrafficPolicy: "Local" } as const;

const cases: readonly {
  name: string;
  spec: Partial<ServiceSpec>;
  /** The nodes of its endpoints. */
  on: readonly string[];
  inPorts: readonly [number, number];
  ipvs: readonly [number, number];
}[] = [
  {
    name: "endpoints here",
    spec: { ...nodePorts, ...both },
    on: ["n1"],
    inPorts: [0, 0],
    ipvs: [0, 0],
  },
  { name: "no endpoints", spec: { ...nodePorts, ...both }, on: [], inPorts: [0, 0], ipvs: [0, 0] },
  { name: "policy Cluster", spec: nodePorts, on: ["n2"], inPorts: [0, 0], ipvs: [0, 0] },
  {
    name: "both policies",
    spec: { ...nodePorts, ...both },
    on: ["n2"],
    inPorts: [2, 2],
    ipvs: [1, 1],
  },
  {
    name: "the internal policy",
    spec: { internalTrafficPolicy: "Local", ports },
    on: ["n2"],
    inPorts: [2, 0],
    ipvs: [1, 0],
  },
  {
    name: "a load balancer without an address",
    spec: {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      ports: [{ name: "a", port: 80, protocol: "TCP" }],
    },
    on: ["n2"],
    inPorts: [0, 1],
    ipvs: [0, 0],
  },
];

for (const { name, spec, on, inPorts, ipvs } of cases) {
  test(`UnservedPolicies counts ${name}`, () => {
    const tracker = new ServiceTracker("IPv4", "n1");
    const metadata = { name: "web", namespace: "default" };
    tracker.setService("default/web", { metadata, spec: { clusterIP: "10.96.0.1", ...spec } });
    const labels = { "kubernetes.io/service-name": "web" };
    const endpoints = on.map((nodeName, index) => ({
      addresses: [`10.0.0.${index + 1}`],
      nodeName,
    }));
    tracker.setSlice(
      {
        metadata: { ...metadata, labels },
        addressType: "IPv4",
        endpoints,
        ports: ["a", "b"].map((each) => ({ name: each, port: 8080, protocol: "TCP" as const })),
      },
      false,
    );
    const [[key, routed] = ["", []]] = [...tracker.take(true).services];
    for (const [mode, [internal, external]] of [
      ["nftables", inPorts],
      ["iptables", inPorts],
      ["ipvs", ipvs],
    ] as const) {
      const unserved = new UnservedPolicies(mode);
      unserved.set(key, routed);
      assert.deepEqual(unserved.total(), { internal, external }, mode);
      unserved.set(key, []);
      assert.deepEqual(unserved.total(), { internal: 0, external: 0 });
    }
  });
}
