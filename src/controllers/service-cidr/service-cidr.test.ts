import assert from "node:assert/strict";
import { test } from "node:test";
import { ipAddresses, type ServiceCIDR, serviceCIDRs } from "#/api/networking/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { mayDelete } from "./may-delete.ts";
import { serviceCidrController } from "./service-cidr.ts";

const network = (name: string, ...cidrs: string[]): ServiceCIDR => ({
  metadata: { name },
  spec: { cidrs },
});
const small = network("small", "10.1.0.0/24");

for (const [claim, others, addresses, expected] of [
  ["it is empty", [], ["10.2.0.1"], true],
  ["no other network has its address", [], ["10.1.0.1"], false],
  ["a larger one has all of it", [network("large", "10.1.0.0/16")], ["10.1.0.1"], true],
  ["another network has the same range", [network("twin", "10.1.0.0/24")], ["10.1.0.1"], true],
  ["a smaller one has the address", [network("part", "10.1.0.0/28")], ["10.1.0.1"], true],
  ["a smaller one has another", [network("part", "10.1.0.0/28")], ["10.1.0.99"], false],
] as const) {
  test(`mayDelete() of a network when ${claim}: ${expected}`, () => {
    assert.equal(mayDelete(small, [small, ...others], addresses), expected);
  });
}

test("service-cidr-controller keeps a network until its addresses are released", async () => {
  const clock = new FakeClock(systemClock.now());
  await using api = await startApiServer();
  await using run = runControllersOn(api, [serviceCidrController], { clock });
  const { client, until } = run;
  await client.create(serviceCIDRs, small);
  const find = () => client.get(serviceCIDRs, { name: "small" }).catch(() => undefined);
  const condition = async () => {
    const [first] = (await find())?.status?.conditions ?? [];
    return `${first?.status} ${first?.reason}`;
  };
  await until("it is ready", async () => (await condition()) === "True ");
  assert.deepEqual((await find())?.metadata.finalizers, [
    "networking.k8s.io/service-cidr-finalizer",
  ]);
  await client.create(ipAddresses, {
    metadata: {
      name: "10.1.0.7",
      labels: { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" },
    },
    spec: { parentRef: { resource: "services", namespace: "default", name: "s" } },
  });
  await client.delete(serviceCIDRs, { name: "small" });
  await until("it is held", async () => (await condition()) === "False Terminating");
  await client.delete(ipAddresses, { name: "10.1.0.7" });
  await until("it is gone", async () => {
    await clock.advance(5000);
    return (await find()) === undefined;
  });
});
