import assert from "node:assert/strict";
import { test } from "node:test";
import type { Listener, TargetGroup } from "../../client/elbv2-operations.ts";
import type { NetworkPort } from "./network-ports.ts";
import { planPorts } from "./plan-ports.ts";

const port: NetworkPort = {
  name: "http",
  port: 80,
  protocol: "TCP",
  targetPort: 30_080,
  targetProtocol: "TCP",
  healthCheck: {
    port: "traffic-port",
    path: "",
    protocol: "TCP",
    intervalSeconds: 30,
    healthyThreshold: 3,
    unhealthyThreshold: 3,
  },
};
const group = {
  TargetGroupArn: "tg-1",
  Port: 30_080,
  Protocol: "TCP",
  HealthCheckProtocol: "TCP",
  HealthCheckIntervalSeconds: 30,
  TargetType: "instance",
  IpAddressType: "ipv4",
} as TargetGroup;
const listener = {
  ListenerArn: "l-1",
  Port: 80,
  Protocol: "TCP",
  Certificates: [],
  DefaultActions: [{ Type: "forward", TargetGroupArn: "tg-1", Order: undefined }],
} as unknown as Listener;
const tls = { ...port, protocol: "TLS", certificate: "c", sslPolicy: "p" };
const tlsListener = {
  ...listener,
  Protocol: "TLS",
  SslPolicy: "p",
  Certificates: [{ CertificateArn: "c", IsDefault: undefined }],
};
const nodeTargets = { type: "instance", family: "ipv4" };

const cases = [
  { name: "a new port", ports: [port], listeners: [], expected: ["create 80"] },
  { name: "the same port", ports: [port], listeners: [listener], expected: ["keep 80"] },
  {
    name: "another node port",
    ports: [{ ...port, targetPort: 30_081 }],
    listeners: [listener],
    expected: ["replace 80"],
  },
  {
    name: "another interval of health checks",
    ports: [{ ...port, healthCheck: { ...port.healthCheck, intervalSeconds: 10 } }],
    listeners: [listener],
    expected: ["replace 80"],
  },
  {
    name: "Pods instead of nodes",
    ports: [port],
    listeners: [listener],
    targets: { type: "ip", family: "ipv4" },
    expected: ["replace 80"],
  },
  {
    name: "targets of another family",
    ports: [port],
    listeners: [listener],
    targets: { type: "instance", family: "ipv6" },
    expected: ["replace 80"],
  },
  {
    name: "TLS instead of TCP",
    ports: [tls],
    listeners: [listener],
    expected: ["keep 80 with another listener"],
  },
  { name: "the same TLS", ports: [tls], listeners: [tlsListener], expected: ["keep 80"] },
  {
    name: "another certificate",
    ports: [{ ...tls, certificate: "d" }],
    listeners: [tlsListener],
    expected: ["keep 80 with another listener"],
  },
  {
    name: "ports that are gone, in their order",
    ports: [],
    listeners: [{ ...listener, Port: 443 }, listener],
    expected: ["delete 80 TCP", "delete 443 TCP"],
  },
];
for (const { name, ports, listeners, targets = nodeTargets, expected } of cases) {
  test(`planPorts(): ${name}`, () => {
    const steps = planPorts(ports, listeners, [group], targets);
    const shown = steps.map((step) => {
      if (step.do === "delete") return `delete ${step.listener.Port} ${step.listener.Protocol}`;
      const extra = step.do === "keep" && step.changesListener ? " with another listener" : "";
      return `${step.do} ${step.port.port}${extra}`;
    });
    assert.deepEqual(shown, expected);
  });
}
