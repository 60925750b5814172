import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service, ServiceSpec } from "#/api/core/v1.ts";
import { PortSet } from "./allocators/port-set.ts";
import { assignNodePorts } from "./assign-node-ports.ts";

const range = { first: 30000, last: 30015 };
const service = (spec: ServiceSpec): Service => ({ metadata: { name: "a" }, spec });
const assign = (spec: ServiceSpec, old?: ServiceSpec, taken: readonly number[] = []) => {
  const plan = assignNodePorts(
    service(spec),
    old && service(old),
    new PortSet(range, () => 0, taken),
  );
  const { ports, ...rest } = plan;
  return { nodePorts: ports.map(({ nodePort = 0 }) => nodePort), ...rest };
};
const http = { name: "http", port: 80 };
const quic = { name: "quic", port: 80, protocol: "UDP" as const };

describe("assignNodePorts()", () => {
  test("assigns the same node port to ports of one number", () => {
    assert.deepEqual(assign({ type: "NodePort", ports: [http, quic] }), {
      nodePorts: [30000, 30000],
      healthCheckNodePort: 0,
      taken: [30000],
      released: [],
    });
  });

  test("uses the node port that a later port of the same number requests", () => {
    const ports = [http, { ...quic, nodePort: 30007 }];
    assert.deepEqual(assign({ type: "NodePort", ports }).nodePorts, [30007, 30007]);
  });

  test("assigns none if allocateLoadBalancerNodePorts is false", () => {
    const spec: ServiceSpec = {
      type: "LoadBalancer",
      allocateLoadBalancerNodePorts: false,
      ports: [http],
    };
    assert.deepEqual(assign(spec).nodePorts, [0]);
  });

  test("assigns a health check port if the external policy is Local", () => {
    const spec: ServiceSpec = {
      type: "LoadBalancer",
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: "Local",
      ports: [http],
    };
    assert.equal(assign(spec).healthCheckNodePort, 30000);
    const released = assign(
      { ...spec, externalTrafficPolicy: "Cluster" },
      {
        ...spec,
        healthCheckNodePort: 30003,
      },
    ).released;
    assert.deepEqual(released, [30003]);
  });

  test("keeps, allocates and releases ports on update", () => {
    const old: ServiceSpec = {
      type: "NodePort",
      ports: [
        { ...http, nodePort: 30001 },
        { name: "b", port: 81, nodePort: 30002 },
      ],
    };
    const spec: ServiceSpec = {
      type: "NodePort",
      ports: [
        { ...http, nodePort: 30001 },
        { name: "c", port: 82, nodePort: 30003 },
      ],
    };
    assert.deepEqual(assign(spec, old, [30001, 30002]), {
      nodePorts: [30001, 30003],
      healthCheckNodePort: 0,
      taken: [30003],
      released: [30002],
    });
  });

  test("releases all ports if the type needs none", () => {
    const old: ServiceSpec = { type: "NodePort", ports: [{ ...http, nodePort: 30001 }] };
    assert.deepEqual(assign({ type: "ClusterIP", ports: [http] }, old).released, [30001]);
  });
});
