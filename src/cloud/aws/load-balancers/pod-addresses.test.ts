import assert from "node:assert/strict";
import { test } from "node:test";
import type { IPFamily, Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { podAddresses } from "./pod-addresses.ts";

const slice = (
  addressType: EndpointSlice["addressType"],
  endpoints: NonNullable<EndpointSlice["endpoints"]>,
  port = 8080,
): EndpointSlice => ({
  metadata: { name: "s", namespace: "shop" },
  addressType,
  endpoints,
  ports: [{ name: "http", port, protocol: "TCP" }],
});
const ready = (...addresses: string[]) => ({ addresses, conditions: { ready: true } });
const slices = [
  slice("IPv4", [
    ready("10.0.0.1"),
    { addresses: ["10.0.0.2"], conditions: { ready: false } },
    { addresses: ["10.0.0.3"] },
  ]),
  slice("IPv4", [ready("10.0.0.4")], 9090),
  slice("IPv6", [ready("2001:db8::1")]),
];

const cases: readonly { ipFamilies?: IPFamily[]; expected: string[] }[] = [
  { expected: ["10.0.0.1 8080", "10.0.0.3 8080", "10.0.0.4 9090"] },
  {
    ipFamilies: ["IPv4", "IPv6"],
    expected: ["10.0.0.1 8080", "10.0.0.3 8080", "10.0.0.4 9090"],
  },
  { ipFamilies: ["IPv6"], expected: ["2001:db8::1 8080"] },
  { ipFamilies: ["IPv6", "IPv4"], expected: ["2001:db8::1 8080"] },
];
for (const { ipFamilies, expected } of cases) {
  test(`podAddresses() of families ${ipFamilies}`, () => {
    const service: Service = {
      metadata: { name: "web", namespace: "shop" },
      spec: ipFamilies ? { ipFamilies } : {},
    };
    const pods = podAddresses(() => slices);
    const shown = pods.endpointsOf(service, "http").map((one) => `${one.address} ${one.port}`);
    assert.deepEqual(shown, expected);
    assert.deepEqual(pods.endpointsOf(service, "other"), []);
  });
}
