import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import {
  type Pod,
  pods,
  type ReplicationController,
  replicationControllers,
} from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { replicaSetController } from "./replica-set.ts";
import { replicationControllerController } from "./replication-controller.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const set = (replicas: number): ReplicaSet => ({
  metadata: { name: "web", namespace: "default" },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
});

async function started() {
  const api = await startApiServer();
  const run = runControllersOn(api, [replicaSetController, replicationControllerController]);
  const list = async (): Promise<readonly Pod[]> =>
    (await run.client.list(pods, { namespace: "default" })).items;
  const active = async (): Promise<readonly Pod[]> =>
    (await list()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return {
    ...run,
    list,
    active,
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

test("replicaset-controller creates the desired number of Pods, with an event for each", async () => {
  await using run = await started();
  const { client, events, until, list } = run;
  await client.create(replicaSets, set(3));
  await until("a status of 3", async () => {
    const { status } = await client.get(replicaSets, { name: "web", namespace: "default" });
    return status?.replicas === 3 && status.observedGeneration === 1;
  });
  const made = await list();
  assert.equal(made.length, 3);
  assert.deepEqual(
    events,
    made
      .map(({ metadata }) => `Normal SuccessfulCreate Created pod: ${metadata.name}`)
      .sort((a, b) => events.indexOf(a) - events.indexOf(b)),
  );
  assert.equal(made[0]?.metadata.ownerReferences?.[0]?.kind, "ReplicaSet");
});

test("replicaset-controller deletes surplus Pods", async () => {
  await using run = await started();
  const { client, until, active } = run;
  const made = await client.create(replicaSets, set(3));
  await until("3 pods", async () => (await active()).length === 3);
  await client.patch(replicaSets, refOf(made), { spec: { replicas: 1 } }, { type: "merge" });
  await until("1 pod", async () => (await active()).length === 1);
});

test("replicaset-controller adopts a matching orphan, and releases a Pod that doesn't match", async () => {
  await using run = await started();
  const { client, until, active } = run;
  const orphan = {
    ...template,
    metadata: { ...template.metadata, name: "o", namespace: "default" },
  };
  await client.create(pods, orphan);
  await client.create(replicaSets, set(1));
  const ownersOf = async (name: string) =>
    (await client.get(pods, { name, namespace: "default" })).metadata.ownerReferences ?? [];
  await until("adoption", async () => (await ownersOf("o")).length === 1);
  await client.patch(
    pods,
    { name: "o", namespace: "default" },
    { metadata: { labels: { app: "other" } } },
    { type: "merge" },
  );
  await until("release", async () => (await ownersOf("o")).length === 0);
  await until("a pod in its place", async () => (await active()).length === 2);
});

test("replicationcontroller-controller maintains Pods by an equality selector", async () => {
  await using run = await started();
  const { client, until, active } = run;
  const controller: ReplicationController = {
    metadata: { name: "rc", namespace: "default" },
    spec: { replicas: 2, selector: { app: "web" }, template },
  };
  await client.create(replicationControllers, controller);
  await until("2 pods", async () => (await active()).length === 2);
  const [first] = await active();
  assert.ok(first);
  await client.delete(pods, refOf(first), { gracePeriodSeconds: 0 });
  await until("another", async () => {
    const names = (await active()).map(({ metadata }) => metadata.name);
    return names.length === 2 && !names.includes(first.metadata.name);
  });
});
