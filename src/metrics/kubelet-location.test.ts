import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { kubeletLocation } from "./kubelet-location.ts";

const place = {
  "deprecated-kubelet-completely-insecure": false,
  "kubelet-port": 10250,
  "kubelet-preferred-address-types": ["InternalIP", "Hostname"],
  "kubelet-use-node-status-port": true,
};

const node = (annotations: Record<string, string> = {}): Node => ({
  metadata: { name: "n", annotations },
  spec: {},
  status: {
    addresses: [
      { type: "Hostname", address: "n.example" },
      { type: "InternalIP", address: "fd00::1" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10350 } },
  },
});

for (const { name, flags, annotations, expected } of [
  {
    name: "the preferred address, and the port in the status",
    flags: {},
    expected: "https://[fd00::1]:10350/metrics/resource",
  },
  {
    name: "the port of the flags",
    flags: { "kubelet-use-node-status-port": false },
    expected: "https://[fd00::1]:10250/metrics/resource",
  },
  {
    name: "another order, without encryption",
    flags: {
      "kubelet-preferred-address-types": ["ExternalIP", "Hostname"],
      "deprecated-kubelet-completely-insecure": true,
    },
    expected: "http://n.example:10350/metrics/resource",
  },
  {
    name: "the path of the annotation, which can't change the host",
    flags: {},
    annotations: { "metrics.k8s.io/resource-metrics-path": "//evil.example/x?y" },
    expected: "https://[fd00::1]:10350//evil.example/x%3Fy",
  },
]) {
  test(`kubeletLocation(): ${name}`, () => {
    assert.equal(kubeletLocation(node(annotations), { ...place, ...flags }).href, expected);
  });
}

test("kubeletLocation() throws for a node without such an address", () => {
  const flags = { ...place, "kubelet-preferred-address-types": ["ExternalIP", "ExternalDNS"] };
  assert.throws(
    () => kubeletLocation(node(), flags),
    /^Error: no address matched types \[ExternalIP ExternalDNS\]$/,
  );
});
