import assert from "node:assert/strict";
import { test } from "node:test";
import { daemonSets } from "#/api/apps/v1.ts";
import { namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { directClient } from "../components.ts";
import { FaultyStorage } from "../faulty-storage.ts";
import { templateOf } from "../manifests.ts";
import { staleMs, World } from "../world.ts";
import { AvailabilityIsKept } from "./availability.ts";

const namespace = "ns1";
const nodeNames = ["node-0", "node-1", "node-2"];

/** A server with a complete DaemonSet that allows one Pod to be unavailable; no controller runs. */
async function wholeDaemonSet() {
  const clock = new FakeClock();
  const storage = new FaultyStorage({ clock, historyLimit: 100 });
  const api = await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"], {
    clock,
    storage,
  });
  const world = new World(api.registry, clock);
  const property = new AvailabilityIsKept();
  const violations: string[] = [];
  storage.onCommit = (path, value) => {
    const change = world.apply(path, value);
    const problem = change && property.check(change, world);
    if (problem) violations.push(problem);
  };
  const client = directClient(api.handler, clock);
  await client.create(namespaces, { metadata: { name: namespace }, spec: {} });
  for (const name of nodeNames) await client.create(nodes, { metadata: { name }, spec: {} });
  const { metadata } = await client.create(daemonSets, {
    metadata: { namespace, name: "set" },
    spec: {
      selector: { matchLabels: { app: "set" } },
      template: templateOf("set", 1),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    },
  });
  for (const name of nodeNames) await createPod(client, name, metadata.uid ?? "");
  const settle = () => property.settle(world, () => true);
  settle();
  await clock.advance(staleMs);
  settle();
  const close = () => api[Symbol.asyncDispose]();
  return { client, violations, settle, [Symbol.asyncDispose]: close };
}

async function createPod(client: Client, node: string, uid: string): Promise<void> {
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "set", uid, controller: true };
  const { spec } = templateOf("set", 1);
  const pod: Pod = {
    metadata: { namespace, name: node, ownerReferences: [owner] },
    spec: { ...spec, containers: spec?.containers ?? [], nodeName: node },
  };
  await client.create(pods, pod);
  await report(client, node, "True");
}

async function report(client: Client, name: string, status: "True" | "False"): Promise<void> {
  const conditions = [{ type: "Ready", status }];
  await client.patchStatus(pods, { namespace, name }, { status: { phase: "Running", conditions } });
}

const remove = (client: Client, name: string) => client.delete(pods, { namespace, name });

const tooFew = "DaemonSet ns1/set: 1 of 3 Pods are available, 2 must be";

const cases: readonly {
  readonly name: string;
  readonly act: (client: Client, settle: () => void) => Promise<unknown>;
  readonly found?: readonly string[];
}[] = [
  { name: "one Pod is deleted", act: (client) => remove(client, "node-0") },
  {
    name: "one Pod more than allowed is deleted",
    act: async (client) => {
      await remove(client, "node-0");
      await remove(client, "node-1");
    },
    found: [tooFew],
  },
  {
    name: "a Pod fails by itself after another was deleted",
    act: async (client) => {
      await remove(client, "node-0");
      await report(client, "node-1", "False");
    },
  },
  {
    name: "a Pod is deleted after another failed by itself",
    act: async (client) => {
      await report(client, "node-1", "False");
      await remove(client, "node-0");
    },
  },
  {
    name: "a Pod fails and recovers, and too many are deleted then",
    act: async (client, settle) => {
      await report(client, "node-1", "False");
      await report(client, "node-1", "True");
      settle();
      await remove(client, "node-0");
      await remove(client, "node-1");
    },
    found: [tooFew],
  },
  {
    name: "the namespace is deleted, and its Pods some time after",
    act: async (client, settle) => {
      await client.delete(namespaces, { name: namespace });
      settle();
      for (const name of nodeNames) await remove(client, name);
    },
  },
];

for (const { name, act, found = [] } of cases) {
  test(`maxUnavailable is ${found.length > 0 ? "violated" : "kept"} when ${name}`, async () => {
    await using set = await wholeDaemonSet();
    await act(set.client, set.settle);
    assert.deepEqual(set.violations, found);
  });
}
