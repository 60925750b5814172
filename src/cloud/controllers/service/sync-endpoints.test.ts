import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Controller } from "#/controller/controller.ts";
import { defaultValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { cloudFlags } from "../../base/flags.ts";
import type { EndpointTargets, LoadBalancerGoal, LoadBalancers } from "../../base/provider.ts";
import { serviceLbController } from "./service-lb.ts";

/** A cloud in memory; Services with the label pods have Pods as targets. */
class PodCloud implements LoadBalancers {
  readonly calls: string[] = [];
  readonly failures: Error[] = [];
  readonly endpoints: EndpointTargets = {
    follows: ({ metadata }) => metadata.labels?.["pods"] !== undefined,
    update: (goal) => this.#called("endpoints", goal),
  };
  /** Waits at the end of ensure(). */
  hold: Promise<void> = Promise.resolve();

  name({ service }: LoadBalancerGoal): string {
    return service.metadata.name ?? "";
  }
  async find() {
    return {};
  }
  async ensure(goal: LoadBalancerGoal) {
    await this.#called("ensure", goal);
    await this.hold;
    return { ingress: [{ ip: "192.0.2.1" }] };
  }
  async updateNodes(goal: LoadBalancerGoal) {
    await this.#called("nodes", goal);
  }
  async remove(goal: LoadBalancerGoal) {
    await this.#called("remove", goal);
  }
  async plan() {
    return [];
  }

  async #called(verb: string, goal: LoadBalancerGoal): Promise<void> {
    this.calls.push(`${verb} ${this.name(goal)}`);
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}

const service = (name: string, labels: Record<string, string> = { pods: "" }): Service => ({
  metadata: { name, namespace: "default", labels },
  spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
});
const slice = (of: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: {
    name: of,
    namespace: "default",
    labels: { "kubernetes.io/service-name": of },
  },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: "", port: 8080, protocol: "TCP" }],
});
const node = (name: string): Node => ({ metadata: { name }, spec: {} });
const ref = (name: string) => ({ name, namespace: "default" });

async function site(prepare: (client: Client, cloud: PodCloud) => Promise<unknown>) {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startApiServer());
  const cloud = new PodCloud();
  const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
  await api.client().create(serviceCIDRs, network);
  await prepare(api.client(), cloud);
  const clock = new FakeClock(systemClock.now());
  const options: CloudOptions = {
    provider: { name: "memory", hasClusterId: true, loadBalancers: cloud },
    flags: defaultValues(cloudFlags),
    enabled: () => false,
  };
  const shared = Promise.withResolvers<Informers>();
  const probe: Controller<CloudOptions> = {
    name: "probe",
    run: async ({ informers }) => shared.resolve(informers),
  };
  const run = stack.use(runControllersOn(api, [probe, serviceLbController], { options, clock }));
  const informers = await shared.promise;
  const ingress = async (of: string) =>
    (await run.client.get(services, ref(of))).status?.loadBalancer?.ingress?.[0]?.ip;
  /** Writes a slice, and waits until the controller's store has it. */
  const write = async (changed: EndpointSlice) => {
    const of = changed.metadata.name ?? "";
    const isNew = !(await run.client.get(endpointSlices, ref(of)).catch(() => undefined));
    const { metadata } = isNew
      ? await run.client.create(endpointSlices, changed)
      : await run.client.update(endpointSlices, changed);
    await run.until("the store has the slice", () => hasVersion(informers, metadata));
  };
  const owned = stack.move();
  const dispose = { [Symbol.asyncDispose]: () => owned.disposeAsync() };
  return { ...run, cloud, clock, informers, ingress, write, ...dispose };
}

function hasVersion(informers: Informers, metadata: EndpointSlice["metadata"]): boolean {
  const { namespace, name = "", resourceVersion } = metadata;
  const found = informers.informer(endpointSlices).store.get(namespace, name);
  return found?.metadata.resourceVersion === resourceVersion;
}

test("service-lb-controller gives load balancers a burst of endpoints in one call", async () => {
  await using run = await site(async (client) => {
    await client.create(endpointSlices, slice("a", "10.0.0.1"));
    await client.create(services, service("a"));
  });
  const { cloud, clock, until, ingress, write, events } = run;
  await until("it has an address", async () => (await ingress("a")) !== undefined);
  await write(slice("a", "10.0.0.1", "10.0.0.2"));
  await write(slice("a", "10.0.0.2", "10.0.0.3"));
  await write(slice("a", "10.0.0.3"));
  await clock.advance(400);
  assert.deepEqual(cloud.calls, ["ensure a"]);
  await clock.advance(200);
  await until("it has the endpoints", () => cloud.calls.length === 2);
  await write(slice("a"));
  await clock.advance(600);
  await until("it has none", () => cloud.calls.length === 3);
  assert.deepEqual(cloud.calls, ["ensure a", "endpoints a", "endpoints a"]);
  assert.deepEqual(events.filter((event) => event.includes("Ensured")).length, 1);
});

test("service-lb-controller takes endpoints into account that change while it ensures", async () => {
  const hold = Promise.withResolvers<void>();
  await using run = await site(async (client, cloud) => {
    cloud.hold = hold.promise;
    await client.create(services, service("a"));
  });
  const { cloud, clock, until, write } = run;
  await until("it is being ensured", () => cloud.calls.length === 1);
  await write(slice("a", "10.0.0.1"));
  await clock.advance(1000);
  assert.deepEqual(cloud.calls, ["ensure a"]);
  hold.resolve();
  await until("it has the endpoints", async () => {
    await clock.advance(100);
    return cloud.calls.length === 2;
  });
  assert.deepEqual(cloud.calls, ["ensure a", "endpoints a"]);
});

test("service-lb-controller retries endpoints with its back-off, and compares all then", async () => {
  await using run = await site((client) => client.create(services, service("a")));
  const { cloud, clock, until, ingress, write, events } = run;
  await until("it has an address", async () => (await ingress("a")) !== undefined);
  cloud.failures.push(new Error("no"), new Error("no"));
  await write(slice("a", "10.0.0.1"));
  await clock.advance(600);
  const failure =
    "Warning UpdateLoadBalancerFailed Error updating load balancer with new endpoints: no";
  await until("its event is there", () => events.includes(failure));
  // A change does not end the delay.
  await write(slice("a", "10.0.0.2"));
  for (const [waitMs, calls] of [
    [4800, 2],
    [300, 3],
    [9700, 3],
    [400, 4],
  ] as const) {
    await clock.advance(waitMs);
    await until(`there are ${calls} calls`, () => cloud.calls.length === calls);
  }
  assert.deepEqual(cloud.calls, ["ensure a", "endpoints a", "ensure a", "ensure a"]);
});

test("service-lb-controller ensures a load balancer of Pods when nodes change", async () => {
  await using run = await site(async (client) => {
    await client.create(nodes, node("n1"));
    await client.create(services, service("a"));
  });
  const { client, cloud, until, ingress } = run;
  await until("it has an address", async () => (await ingress("a")) !== undefined);
  await client.create(nodes, node("n2"));
  await until("it is ensured again", () => cloud.calls.length === 2);
  assert.deepEqual(cloud.calls, ["ensure a", "ensure a"]);
});

test("service-lb-controller watches EndpointSlices from the first Service that needs them", async () => {
  await using run = await site((client) => client.create(services, service("a", {})));
  const { client, cloud, clock, until, ingress, informers, write } = run;
  await until("it has an address", async () => (await ingress("a")) !== undefined);
  assert.deepEqual([...informers.seeing(endpointSlices, "default")], []);
  await client.create(services, service("b"));
  await until("it has an address", async () => (await ingress("b")) !== undefined);
  assert.equal([...informers.seeing(endpointSlices, "default")].length, 1);
  await write(slice("a", "10.0.0.1"));
  await write(slice("b", "10.0.0.2"));
  await until("the other has its endpoints", async () => {
    await clock.advance(100);
    return cloud.calls.length === 3;
  });
  assert.deepEqual(cloud.calls, ["ensure a", "ensure b", "endpoints b"]);
});
