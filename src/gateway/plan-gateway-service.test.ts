import assert from "node:assert/strict";
import { test } from "node:test";
import type { Gateway } from "./api/gateway-objects.ts";
import { planGatewayService, planGatewaySlice, serviceNameOf } from "./plan-gateway-service.ts";

const gateway = (name: string): Gateway => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  metadata: { name, namespace: "ns", uid: "u-1" },
  spec: { gatewayClassName: "k8ts", infrastructure: { labels: { a: "b" } } },
});
const place = { address: "10.0.0.1", nodeName: "n", ports: new Map([[80, 4080]]) };

test("planGatewayService() is a load balancer that belongs to its gateway", () => {
  const { metadata, spec } = planGatewayService(gateway("web"), place);
  assert.deepEqual([metadata.namespace, metadata.name], ["ns", "web-k8ts"]);
  assert.equal(metadata.ownerReferences?.[0]?.uid, "u-1");
  assert.equal(metadata.labels?.["a"], "b");
  assert.equal(metadata.labels?.["gateway.networking.k8s.io/gateway-name"], "web");
  assert.deepEqual(spec.ports, [{ name: "p80", port: 80, protocol: "TCP" }]);
});

test("planGatewaySlice() leads to where the gateway listens", () => {
  const slice = planGatewaySlice(gateway("web"), place);
  assert.equal(slice.metadata.labels?.["kubernetes.io/service-name"], "web-k8ts");
  assert.deepEqual(slice.ports, [{ name: "p80", port: 4080, protocol: "TCP" }]);
  assert.equal(slice.endpoints?.[0]?.nodeName, "n");
});

for (const { name, expected } of [
  { name: "web", expected: "web-k8ts" },
  { name: "web.example", expected: "gateway-u-1" },
  { name: "w".repeat(59), expected: "gateway-u-1" },
]) {
  test(`serviceNameOf() a gateway named ${name}`, () => {
    assert.equal(serviceNameOf(gateway(name)), expected);
  });
}
