import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { ServiceTracker } from "./service-tracker.ts";

const service: Service = {
  metadata: { name: "web", namespace: "default" },
  spec: {
    type: "LoadBalancer",
    clusterIP: "10.96.0.1",
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 32_000,
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
  },
};

function slice(
  name: string,
  ips: readonly string[],
  protocol: "TCP" | "UDP" = "TCP",
): EndpointSlice {
  return {
    metadata: {
      name,
      namespace: "default",
      labels: { "kubernetes.io/service-name": "web" },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2025-01-01T00:00:01Z" },
    },
    addressType: "IPv4",
    endpoints: ips.map((ip) => ({ addresses: [ip], nodeName: "n1", conditions: { ready: true } })),
    ports: [{ name: "http", port: 8080, protocol }],
  };
}

/** The changes of take(), with endpoints as text. */
function taken(tracker: ServiceTracker, everything = false) {
  const { services, udpEndpoints, triggerTimes } = tracker.take(everything);
  const ports = [...services].map(([key, routed]) => [
    key,
    routed.map(({ routing }) => routing.cluster.map(({ ip }) => ip).join(" ")),
  ]);
  return { ports, udpEndpoints, times: triggerTimes.length };
}

test("ServiceTracker.take() returns each change once", () => {
  const tracker = new ServiceTracker("IPv4", "n1");
  assert.equal(tracker.setService("default/web", service), true);
  assert.equal(tracker.setSlice(slice("a", ["10.0.0.1"]), false), true);
  assert.deepEqual(taken(tracker), {
    ports: [["default/web", ["10.0.0.1"]]],
    udpEndpoints: false,
    times: 1,
  });
  assert.deepEqual(taken(tracker).ports, []);
  assert.deepEqual(taken(tracker, true).ports, [["default/web", ["10.0.0.1"]]]);
});

test("ServiceTracker ignores irrelevant changes", () => {
  const tracker = new ServiceTracker("IPv4", "n1");
  tracker.setService("default/web", service);
  tracker.setSlice(slice("a", ["10.0.0.1"]), false);
  const relabelled = { ...service, metadata: { ...service.metadata, labels: { a: "b" } } };
  assert.equal(tracker.setService("default/web", relabelled), false);
  assert.equal(tracker.setSlice(slice("a", ["10.0.0.1"]), false), false);
  assert.equal(
    tracker.setSlice({ ...slice("a", ["10.0.0.2"]), addressType: "IPv6" }, false),
    false,
  );
  assert.equal(tracker.setSlice(slice("unknown", []), true), false);
});

test("ServiceTracker reports and drops deleted objects", () => {
  const tracker = new ServiceTracker("IPv4", "n1");
  tracker.setService("default/web", service);
  tracker.setSlice(slice("a", ["10.0.0.1"], "UDP"), false);
  assert.equal(taken(tracker).udpEndpoints, true);
  tracker.setSlice(slice("a", []), true);
  tracker.setService("default/web", undefined);
  assert.deepEqual(taken(tracker), {
    ports: [["default/web", []]],
    udpEndpoints: true,
    times: 0,
  });
  assert.equal(tracker.size, 0);
});

test("ServiceTracker counts local and all endpoints; lists may be null, as Go writes empty ones", () => {
  const tracker = new ServiceTracker("IPv4", "n1");
  tracker.setService("default/web", service);
  tracker.setSlice(slice("a", ["10.0.0.1", "10.0.0.2"]), false);
  const nothing = { ...slice("b", []), endpoints: null, ports: null } as unknown as EndpointSlice;
  tracker.setSlice(nothing, false);
  assert.deepEqual(taken(tracker).ports, [["default/web", ["10.0.0.1 10.0.0.2"]]]);
  assert.equal(tracker.endpointCount(), 2);
  const check = { port: 32_000, localEndpoints: 2 };
  assert.deepEqual(tracker.healthChecks(), new Map([["default/web", check]]));
});
