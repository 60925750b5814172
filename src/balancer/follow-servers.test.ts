import assert from "node:assert/strict";
import { test } from "node:test";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { logger } from "#/std/log/log.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { followServers } from "./follow-servers.ts";

const slice = (name: string, addresses: readonly string[]): EndpointSlice => ({
  metadata: {
    name,
    namespace: "default",
    labels: { "kubernetes.io/service-name": "kubernetes" },
  },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: "https", port: 6443, protocol: "TCP" }],
});

test("followServers() learns the slice of the servers, and no other slice of their Service", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(endpointSlices, slice("another", ["192.0.2.66"]));
  await client.create(endpointSlices, slice("kubernetes", ["192.0.2.1"]));
  const learned: string[] = [];
  const stop = new AbortController();
  const learn = async (addresses: readonly string[]): Promise<void> => {
    learned.push(addresses.join());
  };
  const following = followServers({ client, learn, log: logger("test") }, stop.signal);
  await until("the first server", () => learned.length === 1);
  await client.create(endpointSlices, slice("a-third", ["192.0.2.67"]));
  await client.update(endpointSlices, {
    ...(await client.get(endpointSlices, { namespace: "default", name: "kubernetes" })),
    endpoints: [{ addresses: ["192.0.2.2"] }, { addresses: ["192.0.2.1"] }],
  });
  await until("both servers", () => learned.length === 2);
  stop.abort();
  await following;
  assert.deepEqual(learned, [
    "https://192.0.2.1:6443",
    "https://192.0.2.1:6443,https://192.0.2.2:6443",
  ]);
});
