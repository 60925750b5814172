import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Pod, pods, type Service, services } from "#/api/core/v1.ts";
import { type Endpoint, type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { endpointSliceController } from "./endpoint-slice.ts";
import { planSlices } from "./plan-slices.ts";

const service: Service = {
  metadata: { name: "s", namespace: "default", uid: "u" },
  spec: {
    clusterIP: "None",
    selector: { app: "a" },
    ports: [{ port: 80, targetPort: 8080 }],
    ipFamilies: ["IPv4"],
  },
};
const ports = [{ name: "", port: 8080, protocol: "TCP" as const }];
const endpoint = (id: number): Endpoint => ({
  addresses: [`10.0.0.${id}`],
  targetRef: { uid: String(id) },
});
const idsOf = (slice: EndpointSlice): string =>
  (slice.endpoints ?? []).map(({ targetRef }) => targetRef?.uid).join();

/** Slices by the ids of their endpoints, as "1,2"; plans have the same format. */
function plan(now: readonly string[], desired: readonly number[], most = 2) {
  const [template] = planSlices(service, "IPv4", [{ ports, endpoints: [] }], [], most).create;
  assert.ok(template);
  const existing = now.map((ids, index): EndpointSlice => {
    const endpoints = ids === "" ? [] : ids.split(",").map((id) => endpoint(Number(id)));
    return { ...template, metadata: { ...template.metadata, name: `s-${index}` }, endpoints };
  });
  const groups = [{ ports, endpoints: desired.map(endpoint) }];
  const { create, update, remove } = planSlices(service, "IPv4", groups, existing, most);
  return {
    create: create.map(idsOf),
    update: update.map((slice) => `${slice.metadata.name}: ${idsOf(slice)}`),
    remove: remove.map(({ metadata }) => metadata.name),
  };
}

const cases: readonly {
  name: string;
  now: readonly string[];
  desired: readonly number[];
  plan: object;
}[] = [
  { name: "fills new slices", now: [], desired: [1, 2, 3], plan: { create: ["1,2", "3"] } },
  { name: "leaves correct slices", now: ["1,2", "3"], desired: [1, 2, 3], plan: {} },
  {
    name: "uses free room",
    now: ["1,2", "3"],
    desired: [1, 2, 3, 4],
    plan: { update: ["s-1: 3,4"] },
  },
  {
    name: "fills a changed slice",
    now: ["1,2", "3"],
    desired: [1, 3, 4],
    plan: { update: ["s-0: 1,4"] },
  },
  {
    name: "deletes an empty slice",
    now: ["1,2", "3"],
    desired: [1, 2],
    plan: { remove: ["s-1"] },
  },
  {
    name: "gives an empty slice new content",
    now: ["1,2"],
    desired: [3],
    plan: { update: ["s-0: 3"] },
  },
  {
    name: "keeps one slice without endpoints",
    now: ["1,2", "3"],
    desired: [],
    plan: { update: ["s-0: "], remove: ["s-1"] },
  },
];

for (const { name, now, desired, plan: expected } of cases) {
  test(`planSlices() ${name}`, () => {
    assert.deepEqual(plan(now, desired), { create: [], update: [], remove: [], ...expected });
  });
}

test("endpointslice-controller follows pods, their readiness and their end", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [endpointSliceController]);
  const { client, until } = run;
  const node: Node = {
    metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "z" } },
    spec: {},
  };
  await client.create(nodes, node);
  await client.create(services, { ...service, metadata: { name: "s", namespace: "default" } });
  const slices = async () => (await client.list(endpointSlices, { namespace: "default" })).items;
  await until("an empty slice", async () => (await slices()).length === 1);
  const pod: Pod = {
    metadata: { name: "p", namespace: "default", labels: { app: "a" } },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
  };
  const made = await client.create(pods, pod);
  const status = {
    phase: "Running" as const,
    podIP: "10.0.0.1",
    podIPs: [{ ip: "10.0.0.1" }],
    conditions: [{ type: "Ready", status: "True" }],
  };
  await client.updateStatus(pods, { ...made, status });
  await until("an endpoint", async () => (await slices())[0]?.endpoints?.length === 1);
  const [slice, ...others] = await slices();
  assert.equal(others.length, 0);
  assert.deepEqual(slice?.ports, [{ name: "", port: 8080, protocol: "TCP" }]);
  assert.deepEqual(slice?.endpoints, [
    {
      addresses: ["10.0.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", namespace: "default", name: "p", uid: made.metadata.uid },
      nodeName: "n",
      zone: "z",
    },
  ]);
  await client.delete(pods, refOf(made), { gracePeriodSeconds: 0 });
  await until("no endpoint", async () => !(await slices())[0]?.endpoints?.length);
});
