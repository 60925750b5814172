import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, persistentVolumeClaims, persistentVolumes, pods } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { persistentVolumeBinderController } from "#/controllers/persistent-volume-binder/persistent-volume-binder.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { runSchedulerOn } from "#/testing/run-scheduler-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

const namespace = "default";
const host = "kubernetes.io/hostname";

test("a claim that waits for its first pod is bound on that pod's node", async () => {
  await using api = await startApiServer();
  await using controllers = runControllersOn(api, [persistentVolumeBinderController]);
  await using scheduler = runSchedulerOn(api);
  const { client, until, events } = controllers;
  for (const name of ["a", "b"]) {
    await client.create(nodes, { metadata: { name, labels: { [host]: name } }, spec: {} });
    const allocatable = { cpu: "4", memory: "8Gi", pods: "10" };
    await client.patchStatus(nodes, { name }, { status: { allocatable, capacity: allocatable } });
  }
  await client.create(storageClasses, {
    metadata: { name: "late" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await client.create(persistentVolumes, {
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
      local: { path: "/disk" },
      storageClassName: "late",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: host, operator: "In", values: ["b"] }] }],
        },
      },
    },
  });
  await client.create(persistentVolumeClaims, {
    metadata: { name: "c", namespace },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "late",
    },
  });
  const waits =
    "Normal WaitForFirstConsumer waiting for first consumer to be created before binding";
  await until("it waits", () => events.includes(waits));
  await client.create(pods, {
    metadata: { name: "p", namespace },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
    },
  });
  const pod = () => client.get(pods, { name: "p", namespace });
  await until("the pod has a node", async () => (await pod()).spec.nodeName !== undefined);
  const claim = () => client.get(persistentVolumeClaims, { name: "c", namespace });
  await until("the claim is bound", async () => (await claim()).status?.phase === "Bound");
  assert.deepEqual([(await pod()).spec.nodeName, (await claim()).spec.volumeName], ["b", "disk"]);
  assert.ok(scheduler.events.some((event) => event.startsWith("Normal Scheduled")));
});
