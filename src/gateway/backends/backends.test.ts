import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { Backends } from "./backends.ts";
import { resolveBackend } from "./resolve-backend.ts";

const service: Service = {
  metadata: { name: "web", namespace: "ns" },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "h2", port: 81, appProtocol: "kubernetes.io/h2c" },
    ],
  },
};

type Given = [address: string, conditions?: Record<string, boolean>];

const slice = (...given: Given[]): EndpointSlice => ({
  metadata: {},
  addressType: "IPv4",
  endpoints: given.map(([address, conditions]) => ({
    addresses: [address],
    ...(conditions ? { conditions } : {}),
  })),
  ports: [{ name: "http", port: 8080 }],
});

const lookup = (slices: EndpointSlice[], found: Service | undefined = service) => ({
  service: () => found,
  slices: () => slices,
});

const ref = (port: number | string) => ({ namespace: "ns", service: "web", port });
const ending = { ready: false, serving: true, terminating: true };

for (const { name, port = 80, slices = [], found = service, expected } of [
  { name: "a port by number", slices: [slice(["10.0.0.1"])], expected: "10.0.0.1:8080" },
  {
    name: "a port by name",
    port: "http",
    slices: [slice(["10.0.0.1", { ready: true }])],
    expected: "10.0.0.1:8080",
  },
  { name: "an unknown port", port: 82, expected: "PortNotFound: Service ns/web has no port 82" },
  { name: "no endpoints", expected: "NoEndpoints: Service ns/web has no ready endpoints" },
  {
    name: "ready endpoints before ending ones",
    slices: [slice(["10.0.0.1", ending], ["10.0.0.2"])],
    expected: "10.0.0.2:8080",
  },
  {
    name: "ending endpoints when there are no others",
    slices: [slice(["10.0.0.1", ending], ["10.0.0.2", { ready: false }])],
    expected: "10.0.0.1:8080",
  },
  {
    name: "an external name",
    found: { ...service, spec: { type: "ExternalName" as const, externalName: "x" } },
    expected: "UnsupportedService: Service ns/web is of type ExternalName",
  },
]) {
  test(`resolveBackend(): ${name}`, () => {
    const resolution = resolveBackend(ref(port), lookup(slices, found));
    const shown =
      "endpoints" in resolution
        ? resolution.endpoints.map(({ address, port: at }) => `${address}:${at}`).join()
        : `${resolution.reason}: ${resolution.message}`;
    assert.equal(shown, expected);
  });
}

test("resolveBackend() names a Service that does not exist", () => {
  const none = { service: () => undefined, slices: () => [] };
  assert.deepEqual(resolveBackend(ref(80), none), {
    reason: "ServiceNotFound",
    message: "Service ns/web does not exist",
  });
});

test("Backends takes endpoints in turn, and looks again after a change", () => {
  const slices = [slice(["10.0.0.1"], ["10.0.0.2"])];
  const backends = new Backends(lookup(slices));
  const next = () =>
    backends
      .choose(ref(80))
      .map(({ address }) => address.at(-1))
      .join("");
  assert.deepEqual([next(), next(), next()], ["12", "21", "12"]);
  slices[0] = slice(["10.0.0.3"]);
  assert.equal(next(), "21");
  backends.changed("ns/web");
  assert.equal(next(), "3");
});
