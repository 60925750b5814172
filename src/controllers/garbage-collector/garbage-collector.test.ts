import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigMap, configMaps, type Secret, secrets } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { ownerReference } from "#/machinery/meta/owner-reference.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { controllerFlags } from "../base/controller-flags.ts";
import { genericFlags } from "../base/generic-flags.ts";
import { garbageCollectorController } from "./garbage-collector.ts";

async function started() {
  const api = await startApiServer();
  const run = runControllersOn(api, [garbageCollectorController]);
  const { client, until } = run;
  const namespace = "default";
  const makeOwner = (name: string): Promise<ConfigMap> =>
    client.create(configMaps, { metadata: { name, namespace } });
  const makeDependent = (name: string, ...owners: ConfigMap[]): Promise<Secret> => {
    const ownerReferences = owners.map((owner) => ({
      ...ownerReference(owner, configMaps),
      blockOwnerDeletion: true,
    }));
    return client.create(secrets, { metadata: { name, namespace, ownerReferences } });
  };
  const isGone = (name: string): Promise<boolean> =>
    client.get(secrets, { name, namespace }).then(() => false, isNotFound);
  return {
    ...run,
    makeOwner,
    makeDependent,
    untilGone: (name: string) => until(`the end of ${name}`, () => isGone(name)),
    isGone,
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

test("garbage-collector deletes dependents of a deleted owner", async () => {
  await using run = await started();
  const owner = await run.makeOwner("o");
  await run.makeDependent("d", owner);
  await run.client.delete(configMaps, refOf(owner), { propagationPolicy: "Background" });
  await run.untilGone("d");
});

test("garbage-collector deletes dependents of an owner that never existed", async () => {
  await using run = await started();
  const owner = { metadata: { name: "never", namespace: "default", uid: "no-such-uid" } };
  await run.makeDependent("d", owner);
  await run.untilGone("d");
});

test("garbage-collector keeps objects with another owner, and removes the absent reference", async () => {
  await using run = await started();
  const [first, second] = [await run.makeOwner("first"), await run.makeOwner("second")];
  const dependent = await run.makeDependent("d", first, second);
  await run.client.delete(configMaps, refOf(first), { propagationPolicy: "Background" });
  await run.until("one reference", async () => {
    const { metadata } = await run.client.get(secrets, refOf(dependent));
    return metadata.ownerReferences?.length === 1;
  });
  const { metadata } = await run.client.get(secrets, refOf(dependent));
  assert.equal(metadata.ownerReferences?.[0]?.name, "second");
});

test("garbage-collector orphans dependents with policy Orphan", async () => {
  await using run = await started();
  const owner = await run.makeOwner("o");
  const dependent = await run.makeDependent("d", owner);
  await run.client.delete(configMaps, refOf(owner), { propagationPolicy: "Orphan" });
  await run.until("the owner's end", () =>
    run.client.get(configMaps, refOf(owner)).then(() => false, isNotFound),
  );
  const { metadata } = await run.client.get(secrets, refOf(dependent));
  assert.deepEqual(metadata.ownerReferences ?? [], []);
});

test("garbage-collector deletes dependents first with foreground deletion", async () => {
  await using run = await started();
  const owner = await run.makeOwner("o");
  const dependent = await run.makeDependent("d", owner);
  const held = { metadata: { finalizers: ["example.com/hold"] } };
  await run.client.patch(secrets, refOf(dependent), held, { type: "merge" });
  await run.client.delete(configMaps, refOf(owner), { propagationPolicy: "Foreground" });
  await run.until("a dependent that goes", async () => {
    const { metadata } = await run.client.get(secrets, refOf(dependent));
    return metadata.deletionTimestamp !== undefined;
  });
  assert.equal((await run.client.get(configMaps, refOf(owner))).metadata.name, "o");
  await run.client.patch(
    secrets,
    refOf(dependent),
    { metadata: { finalizers: null } },
    { type: "merge" },
  );
  await run.untilGone("d");
  await run.until("the owner's end", () =>
    run.client.get(configMaps, refOf(owner)).then(() => false, isNotFound),
  );
});

test("garbage-collector starts although the server does not respond at first", async () => {
  await using api = await startApiServer();
  const transport = api.transport();
  let refusals = 3;
  const ask = transport.request.bind(transport);
  transport.request = (request) => {
    if (request.path === "/api" && refusals-- > 0) throw new Error("connection refused");
    return ask(request);
  };
  const clock = new FakeClock();
  const stop = new AbortController();
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, []).values;
  const client = new Client(transport, { clock });
  const options = { flags, enabled: () => true };
  const running = runControllers(
    [garbageCollectorController],
    { client, options, clock },
    stop.signal,
  );
  const metadata = { name: "owner", namespace: "default" };
  const owner = await client.create(configMaps, { metadata });
  const ownerReferences = [ownerReference(owner, configMaps)];
  const ref = { name: "d", namespace: "default" };
  await client.create(secrets, { metadata: { ...ref, ownerReferences } });
  await client.delete(configMaps, refOf(owner), { propagationPolicy: "Background" });
  await until("the end of d", async () => {
    await clock.advance(10_000);
    return client.get(secrets, ref).then(() => false, isNotFound);
  });
  stop.abort();
  await running;
});
