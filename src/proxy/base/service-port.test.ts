import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service, ServiceSpec } from "#/api/core/v1.ts";
import { formatCidr } from "#/std/net/cidr.ts";
import { servicePorts } from "./service-port.ts";

const service = (spec: ServiceSpec, status: Service["status"] = {}): Service => ({
  metadata: { name: "web", namespace: "default" },
  spec: { ports: [{ name: "http", port: 80, protocol: "TCP" }], ...spec },
  status,
});

for (const [name, spec] of [
  ["headless services", { clusterIP: "None" }],
  ["services without an address", {}],
  ["aliases", { type: "ExternalName", externalName: "a.example", clusterIP: "10.96.0.1" }],
  ["services of the other family", { clusterIP: "fd00::1", ipFamilies: ["IPv6"] }],
] as const) {
  test(`servicePorts() leaves out ${name}`, () => {
    assert.deepEqual(servicePorts(service(spec as ServiceSpec), "IPv4"), []);
  });
}

test("servicePorts() takes addresses of its family", () => {
  const spec: ServiceSpec = {
    type: "LoadBalancer",
    clusterIP: "10.96.0.1",
    clusterIPs: ["10.96.0.1", "fd00::1"],
    ipFamilies: ["IPv4", "IPv6"],
    externalIPs: ["192.0.2.1", "2001:db8::1"],
    loadBalancerSourceRanges: ["10.1.2.3/8", " 2001:db8::/32"],
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 32_000,
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
  };
  const ingress = [
    { ip: "192.0.2.9" },
    { ip: "192.0.2.8", ipMode: "Proxy" as const },
    { hostname: "x" },
  ];
  const [port] = servicePorts(service(spec, { loadBalancer: { ingress } }), "IPv4");
  assert.deepEqual(
    { ...port, sourceRanges: port?.sourceRanges.map(formatCidr) },
    {
      title: "default/web:http",
      namespace: "default",
      name: "web",
      portName: "http",
      protocol: "TCP",
      clusterIp: "10.96.0.1",
      port: 80,
      nodePort: 0,
      externalIps: ["192.0.2.1"],
      loadBalancerIps: ["192.0.2.9"],
      sourceRanges: ["10.0.0.0/8"],
      healthCheckNodePort: 32_000,
      affinitySeconds: 60,
      externalLocal: true,
      internalLocal: false,
    },
  );
  assert.equal(servicePorts(service(spec), "IPv6")[0]?.clusterIp, "fd00::1");
});

test("servicePorts() reads a range of all addresses as no restriction", () => {
  const spec = { clusterIP: "10.96.0.1", loadBalancerSourceRanges: ["10.0.0.0/8", "0.0.0.0/0"] };
  assert.deepEqual(servicePorts(service(spec), "IPv4")[0]?.sourceRanges, []);
});
