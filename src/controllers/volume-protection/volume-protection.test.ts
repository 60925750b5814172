import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
} from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { claimProtectionController } from "./volume-protection.ts";

test("a deleted claim stays until the Pod that uses it is deleted", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [claimProtectionController]);
  const { client, until } = run;
  const claim: PersistentVolumeClaim = {
    metadata: { name: "c", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const pod: Pod = {
    metadata: { name: "p", namespace: "default" },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
    },
  };
  await client.create(persistentVolumeClaims, claim);
  await client.create(pods, pod);
  const get = () => client.get(persistentVolumeClaims, refOf(claim));
  await until("protection", async () => (await get()).metadata.finalizers?.length === 1);
  await client.delete(persistentVolumeClaims, refOf(claim));
  assert.ok((await get()).metadata.deletionTimestamp);
  await client.delete(pods, refOf(pod), { gracePeriodSeconds: 0 });
  await until("its end", () => get().then(() => false, isNotFound));
});
