import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, persistentVolumeClaims, persistentVolumes, pods } from "#/api/core/v1.ts";
import { csiDrivers, volumeAttachments } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { attachmentName, type CsiVolume, csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { attachDetachController } from "./attach-detach.ts";

const namespace = "default";
const csi = { driver: "disks.example.com", handle: "h" };
const unique = csiVolumeName(csi);
const ref = (name: string) => ({ name, namespace });

/** Two nodes, and a volume bound to a claim. */
async function prepare(client: Client): Promise<void> {
  for (const name of ["a", "b"]) {
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    await client.create(nodes, { metadata: { name, annotations }, spec: {} });
  }
  await addVolume(client, "v", "c", csi);
}

async function addVolume(client: Client, name: string, claim: string, volume: CsiVolume) {
  const accessModes = ["ReadWriteOnce" as const];
  const { metadata } = await client.create(persistentVolumeClaims, {
    metadata: ref(claim),
    spec: { accessModes, resources: { requests: { storage: "1Gi" } }, volumeName: name },
  });
  await client.patchStatus(persistentVolumeClaims, ref(claim), { status: { phase: "Bound" } });
  await client.create(persistentVolumes, {
    metadata: { name },
    spec: {
      accessModes,
      capacity: { storage: "1Gi" },
      csi: { driver: volume.driver, volumeHandle: volume.handle },
      claimRef: { ...ref(claim), uid: metadata.uid ?? "" },
    },
  });
}

function addPod(client: Client, name: string, nodeName: string, claims = ["c"]) {
  return client.create(pods, {
    metadata: ref(name),
    spec: {
      nodeName,
      containers: [{ name: "c", image: "i" }],
      volumes: claims.map((claimName) => ({
        name: claimName,
        persistentVolumeClaim: { claimName },
      })),
    },
  });
}

const actions = (client: Client) => ({
  attachment: (node: string) =>
    client.get(volumeAttachments, { name: attachmentName(csi, node) }).catch(() => undefined),
  attached: async (name: string) =>
    (await client.get(nodes, { name })).status?.volumesAttached?.map((one) => one.name) ?? [],
  /** Sets the status, as the driver's attacher does. */
  setStatus: (node: string, status: object) =>
    client.patchStatus(volumeAttachments, { name: attachmentName(csi, node) }, { status }),
  setInUse: (name: string, volumesInUse: string[]) =>
    client.patchStatus(nodes, { name }, { status: { volumesInUse } }),
  removePod: (name: string) =>
    client.delete(pods, ref(name), { gracePeriodSeconds: 0 }).catch(() => undefined),
});

test("persistentvolume-attach-detach-controller moves a volume when its pod moves", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [attachDetachController]);
  const { client, until, events } = run;
  const { attachment, attached, setStatus, setInUse, removePod } = actions(client);
  await prepare(client);
  await addPod(client, "p", "a");
  await until("an attachment", async () => (await attachment("a")) !== undefined);
  assert.deepEqual((await attachment("a"))?.spec, {
    attacher: csi.driver,
    nodeName: "a",
    source: { persistentVolumeName: "v" },
  });
  await setStatus("a", { attached: false, attachError: { message: "no luck" } });
  const failed = 'Warning FailedAttachVolume AttachVolume.Attach failed for volume "v" : no luck';
  await until("a failure", () => events.includes(failed));
  await setStatus("a", { attached: true, attachError: null });
  await until("it is a's", async () => (await attached("a")).includes(unique));
  const done = 'Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "v" ';
  await until("an event", () => events.includes(done));

  await setInUse("a", [unique]);
  await addPod(client, "q", "b");
  const blocked =
    'Warning FailedAttachVolume Waiting for detach for volume "v" Volume is already used by pod(s) p';
  await until("it is blocked", () => events.includes(blocked));
  await removePod("p");
  await setInUse("a", []);
  await until("a has lost it", async () => !(await attached("a")).includes(unique));
  await until("it is b's next", async () => (await attachment("b")) !== undefined);
  assert.equal(await attachment("a"), undefined);
});

test("persistentvolume-attach-detach-controller detaches volumes from unhealthy nodes after the timeout", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock();
  await using run = runControllersOn(api, [attachDetachController], { clock });
  const { client, until } = run;
  const { attachment, attached, setStatus, setInUse, removePod } = actions(client);
  await prepare(client);
  await addPod(client, "p", "a");
  await until("an attachment", async () => (await attachment("a")) !== undefined);
  await setStatus("a", { attached: true });
  await until("it is a's", async () => (await attached("a")).includes(unique));
  await setInUse("a", [unique]);
  await removePod("p");
  await client.delete(pods, ref("p")).catch(() => undefined);
  await until("it is gone", async () => {
    await clock.advance(60_000);
    return (await attachment("a")) === undefined;
  });
  assert.ok(clock.monotonicMs() >= 360_000);
  assert.deepEqual(await attached("a"), []);
});

test("persistentvolume-attach-detach-controller ignores volumes that need no attachment", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [attachDetachController]);
  const { client, until } = run;
  const { attachment } = actions(client);
  await client.create(csiDrivers, {
    metadata: { name: csi.driver },
    spec: { attachRequired: false },
  });
  await prepare(client);
  const other = { driver: "others.example.com", handle: "o" };
  await addVolume(client, "w", "d", other);
  await addPod(client, "p", "a", ["c", "d"]);
  const name = attachmentName(other, "a");
  const find = () => client.get(volumeAttachments, { name }).catch(() => undefined);
  await until("the other is attached", async () => (await find()) !== undefined);
  assert.equal(await attachment("a"), undefined);
  await client.delete(csiDrivers, { name: csi.driver });
  await until("now this one is", async () => (await attachment("a")) !== undefined);
});
