import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import {
  cleanupFinalizer,
  needsCleanup,
  needsUpdate,
  wantsLoadBalancer,
} from "./service-policy.ts";

const base: Service = {
  metadata: { name: "a", namespace: "default", uid: "1" },
  spec: {
    type: "LoadBalancer",
    ports: [{ port: 80, protocol: "TCP", nodePort: 30_001, targetPort: 8080 }],
    sessionAffinity: "None",
    externalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
  },
};
const withSpec = (spec: Service["spec"]): Service => ({ ...base, spec: { ...base.spec, ...spec } });
const withMeta = (metadata: Service["metadata"]): Service => ({
  ...base,
  metadata: { ...base.metadata, ...metadata },
});
const [port] = base.spec?.ports ?? [];

for (const [claim, service, ownClass, expected] of [
  ["of the type without a class", base, undefined, true],
  ["of another class", withSpec({ loadBalancerClass: "x.io/y" }), "k8ts.dev/local", false],
  ["of the own class", withSpec({ loadBalancerClass: "k8ts.dev/local" }), "k8ts.dev/local", true],
  ["of another type", withSpec({ type: "NodePort" }), undefined, false],
] as const) {
  test(`wantsLoadBalancer() of a Service ${claim}: ${expected}`, () => {
    assert.equal(wantsLoadBalancer(service, ownClass), expected);
  });
}

const held = withMeta({ finalizers: [cleanupFinalizer] });
for (const [claim, service, expected] of [
  ["without finalizer", withMeta({ deletionTimestamp: "2026-01-01T00:00:00Z" }), false],
  ["with finalizer", held, false],
  [
    "that is being deleted",
    { ...held, metadata: { ...held.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    true,
  ],
  ["that has become another type", { ...held, spec: { type: "ClusterIP" as const } }, true],
] as const) {
  test(`needsCleanup() of a Service ${claim}: ${expected}`, () => {
    assert.equal(needsCleanup(service), expected);
  });
}

for (const [claim, old, now, expected] of [
  ["nothing", base, base, false],
  [
    "its type from and to others",
    withSpec({ type: "ClusterIP" }),
    withSpec({ type: "NodePort" }),
    false,
  ],
  ["its type to LoadBalancer", withSpec({ type: "ClusterIP" }), base, true],
  ["its type from LoadBalancer", base, withSpec({ type: "ClusterIP" }), true],
  ["source ranges", base, withSpec({ loadBalancerSourceRanges: ["1.2.3.4/32"] }), true],
  ["a list to an empty one", base, withSpec({ loadBalancerSourceRanges: [] }), false],
  ["the name of a port", base, withSpec({ ports: [{ ...port, port: 80, name: "x" }] }), true],
  ["the number of ports", base, withSpec({ ports: [] }), true],
  ["a node port", base, withSpec({ ports: [{ ...port, port: 80, nodePort: 30_002 }] }), true],
  ["a target", base, withSpec({ ports: [{ ...port, port: 80, targetPort: "x" }] }), true],
  ["an app protocol", base, withSpec({ ports: [{ ...port, port: 80, appProtocol: "h2" }] }), true],
  ["affinity", base, withSpec({ sessionAffinity: "ClientIP" }), true],
  [
    "the affinity's time",
    base,
    withSpec({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } }),
    true,
  ],
  ["the requested address", base, withSpec({ loadBalancerIP: "1.2.3.4" }), true],
  ["external addresses", base, withSpec({ externalIPs: ["1.2.3.4"] }), true],
  ["annotations", base, withMeta({ annotations: { a: "b" } }), true],
  ["labels", base, withMeta({ labels: { a: "b" } }), false],
  ["its identity", base, withMeta({ uid: "2" }), true],
  ["the traffic policy", base, withSpec({ externalTrafficPolicy: "Local" }), true],
  ["the health port", base, withSpec({ healthCheckNodePort: 30_100 }), true],
  ["the number of families", base, withSpec({ ipFamilies: ["IPv4", "IPv6"] }), true],
  ["the selector", base, withSpec({ selector: { a: "b" } }), false],
] as const) {
  test(`needsUpdate() of a Service that changes ${claim}: ${expected}`, () => {
    assert.equal(needsUpdate(old, now, undefined), expected);
  });
}
