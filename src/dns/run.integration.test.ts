import assert from "node:assert/strict";
import { test } from "node:test";
import { namespaces, nodes, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { start } from "./run.ts";

const kubeDns = { namespace: "kube-system", name: "kube-dns" };

async function serverWithNode(): Promise<TestApiServer> {
  const api = await startApiServer();
  const client = api.client();
  const cidrs = ["10.96.0.0/16"];
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec: { cidrs } });
  await client
    .create(namespaces, { metadata: { name: "kube-system" }, spec: {} })
    .catch(() => undefined);
  const podCIDR = "10.244.1.0/24";
  await client.create(nodes, { metadata: { name: "n1" }, spec: { podCIDR, podCIDRs: [podCIDR] } });
  return api;
}

/** Runs the command until it is disposed of. */
function running(api: TestApiServer, args: readonly string[]): AsyncDisposable {
  const stop = new AbortController();
  const ended = start(args, stop.signal, { connect: () => api.transport() });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

async function untilPublished(api: TestApiServer, expected: readonly string[]): Promise<void> {
  await until(`the endpoints are ${expected}`, async () => {
    const { items } = await api.client().list(endpointSlices, { namespace: "kube-system" });
    const found = items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((e) => e.addresses));
    return JSON.stringify(found) === JSON.stringify(expected);
  });
}

// A user's flags of cluster-dns are given to both halves, whichever they are about.
for (const { name, args, isAddress } of [
  {
    name: "at the given address",
    args: ["--cluster-ip=10.96.0.10", "--ttl=5", "--bind-address=10.0.0.1"],
    isAddress: (ip = "") => ip === "10.96.0.10",
  },
  {
    name: "at any address",
    args: [],
    isAddress: (ip = "") => /^10\.96\./.test(ip) && ip !== "10.96.0.10",
  },
]) {
  test(`cluster-dns --mode=service keeps the Service and its endpoints ${name}`, async () => {
    await using api = await serverWithNode();
    const client = api.client();
    await using _running = running(api, ["--mode=service", ...args]);
    await untilPublished(api, ["10.244.1.1"]);
    const { spec } = await client.get(services, kubeDns);
    assert.ok(isAddress(spec?.clusterIP), `the address is ${spec?.clusterIP}`);
    await client.delete(nodes, { name: "n1" });
    await untilPublished(api, []);
  });
}

test("cluster-dns --cleanup deletes the Service and its endpoints", async () => {
  await using api = await serverWithNode();
  {
    await using _running = running(api, ["--mode=service"]);
    await untilPublished(api, ["10.244.1.1"]);
  }
  await start(["--mode=service", "--cleanup"], new AbortController().signal, {
    connect: () => api.transport(),
  });
  await untilPublished(api, []);
  await assert.rejects(api.client().get(services, kubeDns), /not found/);
});

test("cluster-dns refuses an unknown mode", async () => {
  await assert.rejects(start(["--mode=both"], new AbortController().signal), {
    message: 'invalid argument "both" for "--mode" flag: must be one of node, service',
  });
});
