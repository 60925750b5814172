import assert from "node:assert/strict";
import { test } from "node:test";
import { type PersistentVolumeClaimSpec, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { ephemeralVolumeController } from "./ephemeral-volume.ts";

const namespace = "default";
const claimSpec: PersistentVolumeClaimSpec = {
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "1Gi" } },
};
const template = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: claimSpec };
const pod = (name: string) => ({
  metadata: { name, namespace },
  spec: {
    containers: [{ name: "c", image: "i" }],
    volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: template } }],
  },
});
const ref = (name: string) => ({ name, namespace });

test("ephemeral-volume-controller creates a Pod's claims, again after a deletion, and adopts no others", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [ephemeralVolumeController]);
  const { client, until, events } = run;
  await client.create(persistentVolumeClaims, { metadata: ref("q-v"), spec: claimSpec });
  const { metadata: owner } = await client.create(pods, pod("p"));
  const find = () => client.get(persistentVolumeClaims, ref("p-v")).catch(() => undefined);
  await until("a claim", async () => (await find()) !== undefined);
  const { metadata, spec } = await client.get(persistentVolumeClaims, ref("p-v"));
  assert.deepEqual(
    [metadata.labels, metadata.annotations, metadata.ownerReferences, spec.resources],
    [
      { a: "b" },
      { c: "d" },
      [
        {
          apiVersion: "v1",
          kind: "Pod",
          name: "p",
          uid: owner.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      claimSpec.resources,
    ],
  );
  await client.patch(
    persistentVolumeClaims,
    ref("p-v"),
    { metadata: { finalizers: null } },
    { type: "merge" },
  );
  await client.delete(persistentVolumeClaims, ref("p-v"));
  await until("another", async () => {
    const uid = (await find())?.metadata.uid;
    return uid !== undefined && uid !== metadata.uid;
  });
  await client.create(pods, pod("q"));
  const refused =
    "Warning FailedBinding ephemeral volume v: PVC default/q-v was not created for pod default/q (pod is not owner)";
  await until("an event", () => events.includes(refused));
});
