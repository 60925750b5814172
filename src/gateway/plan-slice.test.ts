import assert from "node:assert/strict";
import { test } from "node:test";
import { planSlice } from "./plan-slice.ts";

test("planSlice() has an endpoint of the node with all ports", () => {
  const slice = planSlice({
    service: "ns/gateway",
    address: "fd00::1",
    nodeName: "n",
    ports: { http: 1, https: 2 },
  });
  assert.equal(slice.addressType, "IPv6");
  assert.deepEqual(
    [slice.metadata.namespace, slice.metadata.name, slice.endpoints?.[0]?.nodeName],
    ["ns", "gateway-n", "n"],
  );
  assert.deepEqual(
    slice.ports?.map(({ name, port }) => `${name}:${port}`),
    ["http:1", "https:2"],
  );
});
