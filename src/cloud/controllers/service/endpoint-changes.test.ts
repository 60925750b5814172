import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { mayChangeTargets } from "./endpoint-changes.ts";

const slice = (of: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: {
    name: of,
    namespace: "default",
    labels: { "kubernetes.io/service-name": of },
  },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: "", port: 8080, protocol: "TCP" }],
});
const one = slice("a", "10.0.0.1");
const waiting = { addresses: ["10.0.0.9"], conditions: { ready: false } };
const changes = [
  { name: "the same", now: one, old: one, expected: false },
  { name: "a new slice", now: one, old: undefined, expected: true },
  { name: "a deleted slice", now: undefined, old: one, expected: true },
  { name: "a new slice without endpoints", now: slice("a"), old: undefined, expected: false },
  { name: "another address", now: slice("a", "10.0.0.2"), old: one, expected: true },
  {
    name: "another order",
    now: slice("a", "10.0.0.1", "10.0.0.2"),
    old: slice("a", "10.0.0.2", "10.0.0.1"),
    expected: false,
  },
  {
    name: "an endpoint that is not ready",
    now: { ...one, endpoints: [...(one.endpoints ?? []), waiting] },
    old: one,
    expected: false,
  },
  { name: "another port", now: { ...one, ports: [{ port: 9090 }] }, old: one, expected: true },
  {
    name: "an annotation",
    now: { ...one, metadata: { ...one.metadata, annotations: { a: "b" } } },
    old: one,
    expected: false,
  },
  {
    name: "another Service",
    now: { ...one, metadata: { labels: { "kubernetes.io/service-name": "b" } } },
    old: one,
    expected: true,
  },
];
for (const { name, now, old, expected } of changes) {
  test(`mayChangeTargets(): ${name}`, () => {
    assert.equal(mayChangeTargets(now, old), expected);
  });
}
