import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { NodeRecord } from "../state/node-record.ts";
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

test("NodeAgent registers the node and reports changes", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const ending = new AbortController();
  const events: string[] = [];
  let current = { ...state, problems: ["no network"] };
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
      enableControllerAttachDetach: true,
    }),
  });
  const recorder = {
    event: (_: unknown, _type: string, reason: string) => void events.push(reason),
  };
  const agent = new NodeAgent({
    client,
    clock,
    node,
    events: new NodeEvents(recorder, node),
    register: true,
    updateMs: 10_000,
    reportMs: 300_000,
    state: { current: async () => current },
  });
  const running = agent.run(ending.signal);
  const written = await until(client, (one) => one.status?.conditions?.length === 4);
  assert.equal(written.metadata.labels?.["a"], "b");
  assert.equal(written.spec.providerID, "p://1");
  assert.equal(ready(written)?.message, "no network");
  current = { ...state, problems: [] };
  agent.refresh();
  await clock.advance(1_000);
  await until(client, (one) => ready(one)?.status === "True");
  ending.abort();
  await running;
  assert.deepEqual(events, [
    "Starting",
    "NodeHasSufficientMemory",
    "NodeHasNoDiskPressure",
    "NodeHasSufficientPID",
    "NodeReady",
  ]);
});

function ready({ status }: Node) {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** The node once it matches the condition. */
async function until(client: Client, matches: (node: Node) => boolean): Promise<Node> {
  for await (const { type, object } of client.watch(nodes)) {
    if (type !== "BOOKMARK" && matches(object)) return object;
  }
  throw new Error("the watch has ended");
}
