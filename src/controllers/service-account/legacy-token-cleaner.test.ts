import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, pods, secrets, serviceAccounts } from "#/api/core/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { legacyTokenCleanerController } from "./legacy-token-cleaner.ts";

const namespace = "default";
const ref = (name: string) => ({ name, namespace });
const dayMs = 86_400_000;
const label = "kubernetes.io/legacy-token-invalid-since";

test("legacy-serviceaccount-token-cleaner-controller marks unused tokens as invalid, then deletes them", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, {
    metadata: {
      name: "kube-apiserver-legacy-service-account-token-tracking",
      namespace: "kube-system",
    },
    data: { since: "2020-01-01" },
  });
  const account = await client.create(serviceAccounts, {
    metadata: ref("a"),
    secrets: [{ name: "unused" }, { name: "mounted" }],
  });
  for (const name of ["unused", "mounted", "manual"]) {
    const annotations = {
      "kubernetes.io/service-account.name": "a",
      "kubernetes.io/service-account.uid": account.metadata.uid ?? "",
    };
    await client.create(secrets, {
      metadata: { ...ref(name), annotations },
      type: "kubernetes.io/service-account-token",
    });
  }
  await client.create(pods, {
    metadata: ref("p"),
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", secret: { secretName: "mounted" } }],
    },
  });
  const clock = new FakeClock(systemClock.now() + 100 * dayMs);
  const args = ["--legacy-service-account-token-clean-up-period=240h"];
  await using run = runControllersOn(api, [legacyTokenCleanerController], { args, clock });
  const find = (name: string) => client.get(secrets, ref(name)).catch(() => undefined);
  const marks = async () => {
    const all = await Promise.all(["unused", "mounted", "manual"].map(find));
    return all.map((secret) => secret && secret.metadata.labels?.[label] !== undefined);
  };
  await run.until("it is marked", async () => (await marks())[0] === true);
  assert.deepEqual(await marks(), [true, false, false]);
  await run.until("it is removed", async () => {
    await clock.advance(dayMs);
    return (await find("unused")) === undefined;
  });
  assert.deepEqual(await marks(), [undefined, false, false]);
});
