import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import { defaultValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { cloudFlags } from "../../base/flags.ts";
import {
  ImplementedElsewhereError,
  type LoadBalancerGoal,
  type LoadBalancers,
  RetryAfterError,
} from "../../base/provider.ts";
import { serviceLbController } from "./service-lb.ts";

/** A cloud in memory that records its calls. */
class MemoryCloud implements LoadBalancers {
  readonly calls: string[] = [];
  readonly balancers = new Map<string, string>();
  /** Errors of the next calls. */
  readonly failures: Error[] = [];

  name({ service }: LoadBalancerGoal): string {
    return service.metadata.name ?? "";
  }
  async find(goal: LoadBalancerGoal) {
    const ip = this.balancers.get(this.name(goal));
    return ip === undefined ? undefined : { ingress: [{ ip }] };
  }
  async ensure(goal: LoadBalancerGoal) {
    this.#called("ensure", goal);
    this.balancers.set(this.name(goal), "192.0.2.1");
    return { ingress: [{ ip: "192.0.2.1" }] };
  }
  async updateNodes(goal: LoadBalancerGoal) {
    this.#called("update", goal);
  }
  async remove(goal: LoadBalancerGoal) {
    this.#called("remove", goal);
    this.balancers.delete(this.name(goal));
  }
  async plan() {
    return [];
  }

  #called(verb: string, goal: LoadBalancerGoal): void {
    const names = goal.nodes.map(({ metadata }) => metadata.name);
    this.calls.push([verb, this.name(goal), ...names].join(" "));
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}

const service = (name: string): Service => ({
  metadata: { name, namespace: "default" },
  spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
});
const node = (name: string): Node => ({ metadata: { name }, spec: {} });
const ref = (name: string) => ({ name, namespace: "default" });

async function site(prepare: (client: Client, cloud: MemoryCloud) => Promise<unknown>) {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startApiServer());
  const cloud = new MemoryCloud();
  const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
  await api.client().create(serviceCIDRs, network);
  await prepare(api.client(), cloud);
  const clock = new FakeClock(systemClock.now());
  const options: CloudOptions = {
    provider: { name: "memory", hasClusterId: true, loadBalancers: cloud },
    flags: defaultValues(cloudFlags),
    enabled: () => false,
  };
  const run = stack.use(runControllersOn(api, [serviceLbController], { options, clock }));
  const ingress = async () =>
    (await run.client.get(services, ref("a"))).status?.loadBalancer?.ingress?.[0]?.ip;
  const owned = stack.move();
  return { ...run, cloud, clock, ingress, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("service-lb-controller makes a load balancer, and deletes it before its Service", async () => {
  await using run = await site(async (client) => {
    await client.create(nodes, node("n1"));
    await client.create(services, service("a"));
  });
  const { client, cloud, events, until, ingress } = run;
  await until("it has an address", async () => (await ingress()) === "192.0.2.1");
  const { metadata } = await client.get(services, ref("a"));
  assert.deepEqual(metadata.finalizers, ["service.kubernetes.io/load-balancer-cleanup"]);
  await client.delete(services, ref("a"));
  await until("it is gone", () =>
    client.get(services, ref("a")).then(
      () => false,
      () => true,
    ),
  );
  await until("its event is there", () =>
    events.includes("Normal DeletedLoadBalancer Deleted load balancer"),
  );
  assert.deepEqual(cloud.calls, ["ensure a n1", "remove a"]);
  assert.deepEqual(events, [
    "Normal EnsuringLoadBalancer Ensuring load balancer",
    "Normal EnsuredLoadBalancer Ensured load balancer",
    "Normal DeletingLoadBalancer Deleting load balancer",
    "Normal DeletedLoadBalancer Deleted load balancer",
  ]);
});

test("service-lb-controller removes the load balancer of a Service that becomes another type", async () => {
  await using run = await site((client) => client.create(services, service("a")));
  const { client, cloud, until, ingress, events } = run;
  await until("it has an address", async () => (await ingress()) !== undefined);
  assert.ok(
    events.includes(
      "Warning UnAvailableLoadBalancer There are no available nodes for LoadBalancer",
    ),
  );
  await client.patch(services, ref("a"), { spec: { type: "ClusterIP" } }, { type: "merge" });
  await until("its address is gone", async () => (await ingress()) === undefined);
  const { metadata } = await client.get(services, ref("a"));
  assert.equal(metadata.finalizers, undefined);
  assert.deepEqual(cloud.calls, ["ensure a", "remove a"]);
});

test("service-lb-controller gives load balancers new nodes, once for each change", async () => {
  await using run = await site(async (client) => {
    await client.create(nodes, node("n1"));
    await client.create(services, service("a"));
  });
  const { client, cloud, until, ingress, events } = run;
  await until("it has an address", async () => (await ingress()) !== undefined);
  await client.create(nodes, node("n2"));
  await until("it is told", () => cloud.calls.length === 2);
  const exclude = {
    metadata: { labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } },
  };
  await client.patch(nodes, { name: "n1" }, exclude, { type: "merge" });
  await until("it is told again", () => cloud.calls.length === 3);
  assert.deepEqual(cloud.calls, ["ensure a n1", "update a n1 n2", "update a n2"]);
  await until("its event is there", () =>
    events.includes("Normal UpdatedLoadBalancer Updated load balancer with new hosts"),
  );
});

test("service-lb-controller retries after 5 seconds, doubling, and when the cloud says", async () => {
  await using run = await site(async (client, cloud) => {
    cloud.failures.push(new Error("no"), new Error("no"), new RetryAfterError("later", 70_000));
    await client.create(services, service("a"));
  });
  const { cloud, until, ingress, events, clock } = run;
  await until("it has failed", () => cloud.calls.length === 1);
  const failure =
    "Warning SyncLoadBalancerFailed Error syncing load balancer: failed to ensure load balancer: no";
  await until("its event is there", () => events.includes(failure));
  for (const [waitMs, calls] of [
    [4900, 1],
    [200, 2],
    [9800, 2],
    [300, 3],
    [69_000, 3],
    [1200, 4],
  ] as const) {
    await clock.advance(waitMs);
    await until(`there are ${calls} calls`, () => cloud.calls.length === calls);
  }
  await until("it has an address", async () => (await ingress()) !== undefined);
});

test("service-lb-controller leaves Services that another program balances", async () => {
  await using run = await site(async (client, cloud) => {
    cloud.failures.push(new ImplementedElsewhereError());
    await client.create(services, service("a"));
    const classed = service("b");
    await client.create(services, {
      ...classed,
      spec: { ...classed.spec, loadBalancerClass: "x.io/y", allocateLoadBalancerNodePorts: true },
    });
  });
  const { client, cloud, until, ingress } = run;
  await until("it is ensured", () => cloud.calls.length === 1);
  await client.create(services, service("c"));
  await until("the next is ensured", () => cloud.calls.length === 2);
  assert.deepEqual(cloud.calls, ["ensure a", "ensure c"]);
  assert.equal(await ingress(), undefined);
});
