import assert from "node:assert/strict";
import { test } from "node:test";
import { services } from "#/api/core/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { Informers } from "#/client/informers/informers.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { addressController } from "./address-controller.ts";
import { AddressPool } from "./address-pool.ts";
import { LocalBalancers } from "./local-balancers.ts";

test("a Service for which no address is left has a condition, until it gets one", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
  await client.create(serviceCIDRs, network);
  const stop = new AbortController();
  using _stopped = { [Symbol.dispose]: () => stop.abort() };
  const informers = new Informers(client, stop.signal);
  await informers.informer(services).synced;
  const balancers = new LocalBalancers(new AddressPool(["198.18.0.0/30"]), informers);
  await using _running = runControllersOn(api, [addressController(balancers)], {
    options: undefined,
  });
  const create = (name: string, loadBalancerClass?: string) =>
    client.create(services, {
      metadata: { name, namespace: "default" },
      spec: {
        type: "LoadBalancer",
        ports: [{ port: 80 }],
        ...(loadBalancerClass && { loadBalancerClass }),
      },
    });
  const give = (name: string, ip: string) =>
    client.patch(
      services,
      { namespace: "default", name },
      { status: { loadBalancer: { ingress: [{ ip, ipMode: "VIP" }] } } },
      { type: "merge", subresource: "status" },
    );
  const conditionOf = async (name: string) => {
    const found = await client.get(services, { namespace: "default", name });
    return findCondition(found.status?.conditions ?? [], "k8ts.dev/Address");
  };
  for (const [name, ip] of [
    ["a", "198.18.0.1"],
    ["b", "198.18.0.2"],
  ] as const) {
    await create(name);
    await give(name, ip);
  }
  await create("other", "example.com/other");
  await create("c");
  const condition = await until("the condition", () => conditionOf("c"));
  assert.equal(condition.status, "False");
  assert.equal(condition.reason, "NoAddress");
  assert.equal(condition.message, "all addresses of the pool 198.18.0.0/30 are in use");
  await client.delete(services, { namespace: "default", name: "b" });
  await until("b is gone", () => {
    const present = informers.informer(services).store.list();
    return present.every(({ metadata }) => metadata.name !== "b");
  });
  await give("c", "198.18.0.2");
  await until("no condition", async () => (await conditionOf("c")) === undefined);
  for (const name of ["a", "other"]) assert.equal(await conditionOf(name), undefined);
});
