import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import {
  type PersistentVolumeClaimSpec,
  type PersistentVolumeSpec,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import {
  claimProtectionController,
  volumeProtectionController,
} from "../volume-protection/volume-protection.ts";
import { persistentVolumeBinderController } from "./persistent-volume-binder.ts";

const namespace = "default";
const claimRef = (name: string) => ({ name, namespace });
const controllers = [
  persistentVolumeBinderController,
  claimProtectionController,
  volumeProtectionController,
];

function addClaim(client: Client, name: string, spec: Partial<PersistentVolumeClaimSpec> = {}) {
  return client.create(persistentVolumeClaims, {
    metadata: claimRef(name),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
}

function addVolume(client: Client, name: string, spec: Partial<PersistentVolumeSpec> = {}) {
  return client.create(persistentVolumes, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
      ...(spec.hostPath ? {} : { csi: { driver: "d", volumeHandle: name } }),
      ...spec,
    },
  });
}

const readers = (client: Client) => ({
  claim: (name: string) => client.get(persistentVolumeClaims, claimRef(name)),
  volume: (name: string) => client.get(persistentVolumes, { name }),
  phase: async (name: string) =>
    (await client.get(persistentVolumes, { name }).catch(() => undefined))?.status?.phase,
});

test("persistentvolume-binder-controller binds a claim to a volume, and releases it", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, controllers);
  const { client, until } = run;
  const { claim, volume, phase } = readers(client);
  await addClaim(client, "a");
  await until("pending", async () => (await claim("a")).status?.phase === "Pending");
  await addVolume(client, "v");
  await until("bound", async () => (await claim("a")).status?.phase === "Bound");
  const bound = await claim("a");
  const used = await volume("v");
  assert.deepEqual(
    [bound.spec.volumeName, bound.metadata.annotations, bound.status?.capacity, used.status?.phase],
    [
      "v",
      { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" },
      { storage: "2Gi" },
      "Bound",
    ],
  );
  assert.deepEqual(
    [used.metadata.annotations, used.spec.claimRef?.uid],
    [{ "pv.kubernetes.io/bound-by-controller": "yes" }, bound.metadata.uid],
  );
  await client.delete(persistentVolumeClaims, claimRef("a"));
  await until("released", async () => (await phase("v")) === "Released");
});

test("persistentvolume-binder-controller requests volumes from drivers, and binds them", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, controllers);
  const { client, until, events } = run;
  const { claim } = readers(client);
  await addClaim(client, "a");
  await until("pending", () => events.some((event) => event.includes("no storage class is set")));
  await client.create(storageClasses, {
    metadata: {
      name: "fast",
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
    provisioner: "disks.example.com",
  });
  await until("asked", async () => {
    const { spec, metadata } = await claim("a");
    const asked = metadata.annotations?.["volume.kubernetes.io/storage-provisioner"];
    return spec.storageClassName === "fast" && asked === "disks.example.com";
  });
  const waiting =
    "Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'disks.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  await until("an event", () => events.includes(waiting));
  const { uid = "" } = (await claim("a")).metadata;
  await addVolume(client, `pvc-${uid}`, {
    storageClassName: "fast",
    claimRef: { ...claimRef("a"), uid },
  });
  await until("bound", async () => (await claim("a")).spec.volumeName === `pvc-${uid}`);
  await client.create(storageClasses, {
    metadata: { name: "none" },
    provisioner: "kubernetes.io/no-provisioner",
  });
  await addClaim(client, "b", { storageClassName: "none" });
  const failed =
    "Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner";
  await until("a failure", () => events.includes(failed));
});

test("persistentvolume-binder-controller makes and removes folders of the host", async () => {
  await using api = await startApiServer();
  const args = ["--enable-hostpath-provisioner"];
  await using run = runControllersOn(api, controllers, { args });
  const { client, until, events } = run;
  const { claim, volume, phase } = readers(client);
  await client.create(storageClasses, {
    metadata: { name: "local" },
    provisioner: "kubernetes.io/host-path",
  });
  await addClaim(client, "a", { storageClassName: "local" });
  await until("bound", async () => (await claim("a")).status?.phase === "Bound");
  const name = (await claim("a")).spec.volumeName ?? "";
  const { metadata, spec } = await volume(name);
  const path = spec.hostPath?.path ?? "";
  assert.deepEqual(
    [
      metadata.annotations?.["pv.kubernetes.io/provisioned-by"],
      spec.persistentVolumeReclaimPolicy,
      existsSync(path),
    ],
    ["kubernetes.io/host-path", "Delete", true],
  );
  const succeeded = `Normal ProvisioningSucceeded Successfully provisioned volume ${name} using kubernetes.io/host-path`;
  assert.ok(events.includes(succeeded));
  await client.delete(persistentVolumeClaims, claimRef("a"));
  await until("gone", async () => (await phase(name)) === undefined);
  assert.equal(existsSync(path), false);
});

test("persistentvolume-binder-controller records why a volume can't be deleted", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, controllers);
  const { client, until, events } = run;
  const { claim, volume, phase } = readers(client);
  await addVolume(client, "v", {
    hostPath: { path: "/var/data" },
    persistentVolumeReclaimPolicy: "Delete",
  });
  await addClaim(client, "a");
  await until("bound", async () => (await claim("a")).status?.phase === "Bound");
  await client.delete(persistentVolumeClaims, claimRef("a"));
  await until("failed", async () => (await phase("v")) === "Failed");
  const problem = "host_path deleter only supports /tmp/.+ but received provided /var/data";
  assert.equal((await volume("v")).status?.message, problem);
  assert.ok(events.includes(`Warning VolumeFailedDelete ${problem}`));
});
