import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { endpointsByPort } from "./endpoint.ts";

function slice(
  endpoints: EndpointSlice["endpoints"],
  ports: EndpointSlice["ports"],
): EndpointSlice {
  return {
    metadata: { name: "s" },
    addressType: "IPv4",
    ...(endpoints ? { endpoints } : {}),
    ...(ports ? { ports } : {}),
  };
}

const http = { name: "http", port: 80, protocol: "TCP" } as const;

test("endpointsByPort() joins slices, in the order of addresses", () => {
  const slices = [
    slice([{ addresses: ["10.0.0.9"], nodeName: "n1" }, { addresses: ["10.0.0.2"] }], [http]),
    slice([{ addresses: ["10.0.0.1"] }], [http, { name: "dns", port: 53, protocol: "UDP" }]),
    slice([{ addresses: ["10.0.0.7"] }], [{ port: 80 }, { name: "none" }]),
  ];
  const found = endpointsByPort(slices, "n1");
  assert.deepEqual(
    [...found].map(([key, list]) => [key, list.map(({ address, local }) => `${address} ${local}`)]),
    [
      ["http/TCP", ["10.0.0.1:80 false", "10.0.0.2:80 false", "10.0.0.9:80 true"]],
      ["dns/UDP", ["10.0.0.1:53 false"]],
    ],
  );
});

test("endpointsByPort() prefers an endpoint that isn't terminating to the same one that is", () => {
  const leaving = { addresses: ["10.0.0.1"], conditions: { ready: false, terminating: true } };
  const staying = { addresses: ["10.0.0.1"], conditions: { ready: true } };
  for (const order of [
    [leaving, staying],
    [staying, leaving],
  ]) {
    const found = endpointsByPort([slice(order, [http])], "n1").get("http/TCP");
    assert.deepEqual(
      found?.map(({ terminating }) => terminating),
      [false],
    );
  }
});
