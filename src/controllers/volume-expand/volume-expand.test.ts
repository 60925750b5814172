import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PersistentVolumeSpec,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { persistentVolumeBinderController } from "../persistent-volume-binder/persistent-volume-binder.ts";
import { volumeExpandController } from "./volume-expand.ts";

const namespace = "default";
const ref = (name: string) => ({ name, namespace });

test("persistentvolume-expander-controller requests expansions from drivers", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [
    persistentVolumeBinderController,
    volumeExpandController,
  ]);
  const { client, until, events } = run;
  await client.create(storageClasses, {
    metadata: { name: "s" },
    provisioner: "disks.example.com",
    allowVolumeExpansion: true,
  });
  const sources: Record<string, Partial<PersistentVolumeSpec>> = {
    new: { csi: { driver: "disks.example.com", volumeHandle: "h" } },
    old: { awsElasticBlockStore: { volumeID: "i" } },
  };
  const claim = (name: string) => client.get(persistentVolumeClaims, ref(name));
  for (const [name, source] of Object.entries(sources)) {
    await client.create(persistentVolumes, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        storageClassName: "s",
        ...source,
      },
    });
    await client.create(persistentVolumeClaims, {
      metadata: ref(name),
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "s",
        volumeName: name,
      },
    });
    await until("bound", async () => (await claim(name)).status?.phase === "Bound");
  }
  assert.deepEqual(
    events.filter((event) => event.includes("Expanding")),
    [],
  );
  for (const name of Object.keys(sources)) {
    const spec = { resources: { requests: { storage: "2Gi" } } };
    await client.patch(persistentVolumeClaims, ref(name), { spec }, { type: "merge" });
  }
  const waiting = [
    "Normal ExternalExpanding waiting for an external controller to expand this PVC",
    "Normal ExternalExpanding CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc",
  ];
  await until("both events are recorded", () => waiting.every((event) => events.includes(event)));
  const resizer = "volume.kubernetes.io/storage-resizer";
  await until("the driver is named", async () => {
    const { annotations = {} } = (await claim("old")).metadata;
    return annotations[resizer] === "ebs.csi.aws.com";
  });
});
