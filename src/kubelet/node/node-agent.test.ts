import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { NodeRecord } from "../state/node-record.ts";
import { VolumesInUse } from "../state/volumes-in-use.ts";
import { initialNode } from "./initial-node.ts";
import { type CurrentState, NodeAgent } from "./node-agent.ts";
import { NodeEvents } from "./node-events.ts";

const state: CurrentState = {
  facts: {
    cores: 1,
    memoryBytes: 1,
    swapBytes: 0,
    hugePages: [],
    machineID: "m",
    systemUUID: "s",
    bootID: "b",
    kernelVersion: "6",
    osImage: "Debian",
    architecture: "amd64",
    maxPids: 1,
  },
  capacity: new Map([["cpu", quantityOf(1)]]),
  allocatable: new Map([["cpu", quantityOf(1)]]),
  ips: ["10.0.0.1"],
  hostname: "n",
  externalCloudProvider: false,
  isIpGiven: false,
  runtimeVersion: "containerd://2",
  kubeletVersion: "v1.37.1",
  kubeletPort: 10250,
  images: [],
  runtime: undefined,
  declaredFeatures: [],
  volumesInUse: [],
  pressure: { memory: false, disk: false, pid: false },
  problems: [],
};

/** An agent that runs against an API server until it is disposed. */
async function startAgent() {
  const api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const ending = new AbortController();
  const events: string[] = [];
  const informers = new Informers(client, ending.signal);
  const node = new NodeRecord({
    informer: informers.informer(nodes, { fieldSelector: "metadata.name=n" }),
    ips: ["10.0.0.1"],
    initial: initialNode({
      name: "n",
      hostname: "n",
      architecture: "amd64",
      labels: { a: "b" },
      taints: [{ key: "t", effect: "NoSchedule" }],
      providerID: "p://1",
      externalCloudProvider: false,
      givenIps: [],
      enableControllerAttachDetach: true,
    }),
  });
  const recorder = {
    event: (_: unknown, _type: string, reason: string) => void events.push(reason),
  };
  const inUse = new VolumesInUse();
  const given = { current: { ...state, problems: ["no network"] as readonly string[] }, reads: 0 };
  const agent = new NodeAgent({
    client,
    clock,
    node,
    events: new NodeEvents(recorder, node),
    register: true,
    updateMs: 10_000,
    reportMs: 300_000,
    inUse,
    state: {
      current: async () => {
        given.reads++;
        return { ...given.current, volumesInUse: inUse.names() };
      },
    },
  });
  const following = inUse.subscribe(() => agent.refresh());
  const running = agent.run(ending.signal);
  const stop = async () => {
    following[Symbol.dispose]();
    ending.abort();
    await running;
    await api[Symbol.asyncDispose]();
  };
  return { client, clock, events, node, agent, inUse, given, [Symbol.asyncDispose]: stop };
}

test("NodeAgent registers the node and reports changes", async () => {
  await using started = await startAgent();
  const { client, clock, agent, given, events } = started;
  const written = await nodeWhere(client, (one) => one.status?.conditions?.length === 4);
  assert.equal(written.metadata.labels?.["a"], "b");
  assert.equal(written.spec.providerID, "p://1");
  assert.equal(ready(written)?.message, "no network");
  given.current = { ...state, problems: [] };
  agent.refresh();
  await clock.advance(1_000);
  await nodeWhere(client, (one) => ready(one)?.status === "True");
  await until("the event of the change is recorded", () => events.includes("NodeReady"));
  assert.deepEqual(events, [
    "Starting",
    "NodeHasSufficientMemory",
    "NodeHasNoDiskPressure",
    "NodeHasSufficientPID",
    "NodeReady",
  ]);
});

test("NodeAgent reads the state of a node that doesn't get ready at the usual interval", async () => {
  await using started = await startAgent();
  const { client, clock, given } = started;
  await nodeWhere(client, (one) => one.status?.conditions?.length === 4);
  const readsWithin = async (ms: number) => {
    const before = given.reads;
    for (let passed = 0; passed < ms; passed += 200) {
      await clock.advance(200);
      await nextTurn();
    }
    return given.reads - before;
  };
  assert.ok((await readsWithin(10_000)) > 5, "a node that starts is looked at often");
  await readsWithin(120_000);
  const reads = await readsWithin(60_000);
  assert.ok(reads <= 7, `${reads} reads in a minute`);
});

test("NodeAgent reports a volume in use at once, then says so", async () => {
  await using started = await startAgent();
  const { client, inUse } = started;
  await nodeWhere(client, (one) => one.status?.conditions?.length === 4);
  const { signal } = new AbortController();
  inUse.add("uid", "kubernetes.io/csi/d^h");
  await inUse.untilReported("kubernetes.io/csi/d^h", signal);
  const { status } = await client.get(nodes, { name: "n" });
  assert.deepEqual(status?.volumesInUse, ["kubernetes.io/csi/d^h"]);
});

function ready({ status }: Node) {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** The node once it matches the condition. */
async function nodeWhere(client: Client, matches: (node: Node) => boolean): Promise<Node> {
  for await (const { type, object } of client.watch(nodes)) {
    if (type !== "BOOKMARK" && matches(object)) return object;
  }
  throw new Error("the watch has ended");
}
