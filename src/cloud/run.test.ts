import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { Informers } from "#/client/informers/informers.ts";
import { defaultValues } from "#/std/flags/flags.ts";
import { freePort } from "#/testing/free-port.ts";
import { readMetrics } from "#/testing/read-metrics.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { cloudFlags } from "./base/flags.ts";
import { AddressPool } from "./local/address-pool.ts";
import { LocalBalancers } from "./local/local-balancers.ts";
import { planAll } from "./plan/plan-all.ts";
import { planText } from "./plan/plan-text.ts";
import { start } from "./run.ts";

const service = (name: string): Service => ({
  metadata: { name, namespace: "default" },
  spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
});
const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
const ref = { name: "a", namespace: "default" };

test("cloud-controller-manager gives a Service an address, and keeps it over a restart", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(serviceCIDRs, network);
  await client.create(services, service("a"));
  const port = await freePort();
  const flags = [
    "--cloud-provider=local",
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--authorization-always-allow-paths=/metrics",
    "--authentication-skip-lookup",
  ];
  const addresses: (string | undefined)[] = [];
  for (const restart of [false, true]) {
    const stop = new AbortController();
    const running = start(flags, stop.signal, { connect: () => api.transport() });
    try {
      const sample = /^leader_election_master_status\{name="cloud-controller-manager"\} 1$/m;
      await until("it leads", async () => sample.test(await readMetrics(port).catch(() => "")));
      if (restart) await client.create(services, service("b"));
      const last = restart ? { ...ref, name: "b" } : ref;
      await until("there is an address", async () => {
        const { status } = await client.get(services, last);
        return status?.loadBalancer?.ingress?.[0]?.ipMode === "VIP";
      });
      const { status } = await client.get(services, ref);
      addresses.push(status?.loadBalancer?.ingress?.[0]?.ip);
    } finally {
      stop.abort();
      await running.catch(() => undefined);
    }
  }
  assert.match(addresses[0] ?? "", /^198\.18\.0\.\d+$/);
  assert.equal(addresses[1], addresses[0]);
});

for (const [args, message] of [
  [[], "--cloud-provider cannot be empty"],
  [["--cloud-provider=x"], 'Cloud provider could not be initialized: unknown cloud provider "x"'],
  [
    ["--cloud-provider=local", "--controllers=nope"],
    '"nope" is not in the list of known controllers',
  ],
  [["--cloud-provider=local", "--webhooks=w"], '"w" is not in the list of known webhooks'],
  [
    ["--cloud-provider=local", "--webhook-secure-port=10258"],
    "--webhook-secure-port cannot be the same value as --secure-port",
  ],
  [
    ["--cloud-provider=local", "--lb-pool=10.0.0.1/8"],
    'Cloud provider could not be initialized: could not init cloud provider "local": the pool "10.0.0.1/8" has bits after its prefix',
  ],
] as const) {
  test(`cloud-controller-manager ${args.join(" ")} fails`, async () => {
    await using api = await startApiServer();
    const signal = new AbortController().signal;
    const connect = () => api.transport();
    await assert.rejects(start(args, signal, { connect }), { message });
  });
}

test("planAll() shows what would be done, and changes nothing", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(serviceCIDRs, network);
  const node: Node = { metadata: { name: "n" }, spec: {} };
  await client.create(nodes, node);
  await client.create(services, service("a"));
  const before = await client.get(services, ref);
  const stop = new AbortController();
  const informers = new Informers(client, stop.signal, { strict: true });
  const loadBalancers = new LocalBalancers(new AddressPool(["198.18.0.0/31"]), informers);
  const options = {
    provider: { name: "local", hasClusterId: true, loadBalancers },
    flags: defaultValues(cloudFlags),
    enabled: () => false,
  };
  const planned = await planAll({ informers, options, signal: stop.signal });
  stop.abort();
  const [first] = planned;
  assert.equal(planned.length, 1);
  assert.equal(first?.object, "Service default/a");
  assert.equal(first?.actions[0]?.call, "local:AssignAddress");
  assert.deepEqual(await client.get(services, ref), before);
});

test("planText() is a diff", () => {
  const actions = [
    { call: "local:AssignAddress", params: { ip: "198.18.0.1" }, of: "x" },
    { call: "local:ReleaseAddress", params: { ip: "198.18.0.2" }, of: "x" },
    { call: "elasticloadbalancing:ModifyListener", params: { port: 80 }, of: "x" },
  ];
  const planned = [
    { object: "Service default/a", actions },
    { object: "Service default/b", actions: [] },
    { object: "routes", actions: [], error: "no" },
  ];
  assert.equal(
    planText(planned),
    `Service default/a
  + local:AssignAddress
      ip: "198.18.0.1"
  - local:ReleaseAddress
      ip: "198.18.0.2"
  ~ elasticloadbalancing:ModifyListener
      port: 80
Service default/b
    no change
routes
  ! no
3 objects, 3 actions, 1 can't be planned; nothing was changed
`,
  );
});

test("planText() of a plan without actions says so", () => {
  assert.equal(planText([]), "no changes\n");
  assert.equal(planText([{ object: "Service default/a", actions: [] }]), "no changes\n");
});
