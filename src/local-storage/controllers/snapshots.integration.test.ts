import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { startLocalStorage } from "#/testing/start-local-storage.ts";
import { until } from "#/testing/until.ts";
import { localSnapshots } from "../base/custom-objects.ts";
import {
  volumeSnapshotClasses,
  volumeSnapshotContents,
  volumeSnapshots,
} from "../base/snapshot-objects.ts";

type Storage = Awaited<ReturnType<typeof startLocalStorage>>;
const namespace = "default";

async function createClaim(it: Storage, name: string, fields: object = {}): Promise<void> {
  await it.client.create(persistentVolumeClaims, {
    metadata: { name, namespace },
    spec: {
      storageClassName: "now",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...fields,
    },
  });
}

const bound = (it: Storage, name: string) =>
  until(`claim ${name} is bound`, async () => {
    const found = await it.client.get(persistentVolumeClaims, { namespace, name });
    return found.status?.phase === "Bound" ? found : undefined;
  });

const createSnapshot = (it: Storage, name: string, claim: string, fields: object = {}) =>
  it.client.create(volumeSnapshots, {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { name, namespace },
    spec: { source: { persistentVolumeClaimName: claim }, ...fields },
  });

const snapshotWhere = (it: Storage, name: string, is: (status: SnapshotStatus) => boolean) =>
  until(`snapshot ${name}`, async () => {
    const { status } = await it.client.get(volumeSnapshots, { namespace, name });
    return status && is(status) ? status : undefined;
  });
type SnapshotStatus = NonNullable<(typeof volumeSnapshots)["of"]>["status"] & object;

test("a snapshot of a claim can be restored, and its deletion deletes it", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await createClaim(it, "a");
  await bound(it, "a");
  await createSnapshot(it, "s", "a");
  const status = await snapshotWhere(it, "s", ({ readyToUse }) => readyToUse === true);
  assert.equal(status.restoreSize, "1Gi");
  assert.equal(status.error ?? null, null);
  const source = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
  await createClaim(it, "b", { dataSource: source });
  const { spec } = await bound(it, "b");
  const restored = it.driver.pool.findVolume(spec.volumeName ?? "");
  assert.match(restored?.source?.snapshot ?? "", /^snapshot-/);
  await it.client.delete(volumeSnapshots, { namespace, name: "s" });
  await until("nothing is left of the snapshot", async () => {
    const lists = [volumeSnapshots, volumeSnapshotContents, localSnapshots].map((resource) =>
      it.client.list<unknown>(resource),
    );
    return (await Promise.all(lists)).every(({ items }) => items.length === 0);
  });
  assert.equal(it.driver.pool.snapshots.length, 0);
  const released = async () => {
    const { metadata } = await it.client.get(persistentVolumeClaims, { namespace, name: "a" });
    return !metadata.finalizers?.some((one) => one.includes("snapshot"));
  };
  await until("the claim is released", released);
});

test("a snapshot of a missing claim says so, and is made when the claim is there", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await createSnapshot(it, "s", "late", { volumeSnapshotClassName: "local" });
  const failed = await snapshotWhere(it, "s", ({ error }) => Boolean(error?.message));
  assert.equal(
    failed.error?.message,
    'Failed to create snapshot content with error failed to retrieve PVC late from the lister: "persistentvolumeclaim \\"late\\" not found"',
  );
  assert.ok(it.events.some((event) => event.startsWith("Warning SnapshotContentCreationFailed ")));
  await createClaim(it, "late");
  const ready = await snapshotWhere(it, "s", ({ readyToUse }) => readyToUse === true);
  assert.equal(ready.error ?? null, null);
});

test("a retained snapshot can be given to another content, whose deletion deletes it", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await createClaim(it, "a");
  await bound(it, "a");
  const apiVersion = "snapshot.storage.k8s.io/v1";
  await it.client.create(volumeSnapshotClasses, {
    apiVersion,
    kind: "VolumeSnapshotClass",
    metadata: { name: "keep" },
    driver: "local.csi.k8ts.dev",
    deletionPolicy: "Retain",
  });
  await createSnapshot(it, "s", "a", { volumeSnapshotClassName: "keep" });
  await snapshotWhere(it, "s", ({ readyToUse }) => readyToUse === true);
  const [made] = (await it.client.list(volumeSnapshotContents)).items;
  await it.client.delete(volumeSnapshots, { namespace, name: "s" });
  await it.client.delete(volumeSnapshotContents, { name: made?.metadata.name ?? "" });
  const contents = async () => (await it.client.list(volumeSnapshotContents)).items.length;
  await until("the first content is gone", async () => (await contents()) === 0);
  const [kept] = it.driver.pool.snapshots;
  await it.client.create(volumeSnapshotContents, {
    apiVersion,
    kind: "VolumeSnapshotContent",
    metadata: { name: "given" },
    spec: {
      deletionPolicy: "Delete",
      driver: "local.csi.k8ts.dev",
      source: { snapshotHandle: kept?.id ?? "" },
      volumeSnapshotRef: { namespace, name: "t" },
    },
  });
  await it.client.create(volumeSnapshots, {
    apiVersion,
    kind: "VolumeSnapshot",
    metadata: { name: "t", namespace },
    spec: { source: { volumeSnapshotContentName: "given" } },
  });
  await snapshotWhere(it, "t", ({ readyToUse }) => readyToUse === true);
  await it.client.delete(volumeSnapshots, { namespace, name: "t" });
  await until("the second content is gone", async () => (await contents()) === 0);
  assert.deepEqual(it.driver.pool.snapshots, []);
});

async function request(it: Storage, name: string, size: string): Promise<void> {
  const patch = { spec: { resources: { requests: { storage: size } } } };
  await it.client.patch(persistentVolumeClaims, { namespace, name }, patch, { type: "merge" });
}

test("a claim that requests more has the kubelet make its volume larger", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await createClaim(it, "a");
  const { spec } = await bound(it, "a");
  await request(it, "a", "1536Mi");
  const { status } = await until("the kubelet's turn", async () => {
    const found = await it.client.get(persistentVolumeClaims, { namespace, name: "a" });
    return found.status?.allocatedResourceStatuses ? found : undefined;
  });
  assert.deepEqual(status?.allocatedResourceStatuses, { storage: "NodeResizePending" });
  assert.deepEqual(status?.allocatedResources, { storage: "1536Mi" });
  assert.deepEqual(
    status?.conditions?.map(({ type, message }) => [type, message]),
    [
      [
        "FileSystemResizePending",
        "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
      ],
    ],
  );
  const volume = await it.client.get(persistentVolumes, { name: spec.volumeName ?? "" });
  assert.deepEqual(volume.spec.capacity, { storage: "1536Mi" });
});

test("a claim that requests more than its node has says so, and stays as it is", async () => {
  await using it = await startLocalStorage();
  await it.createClass("now");
  await createClaim(it, "a");
  const { spec } = await bound(it, "a");
  await request(it, "a", "5Gi");
  const failure = `Warning VolumeResizeFailed resize volume "${spec.volumeName}" by resizer "local.csi.k8ts.dev" failed: node n has 1Gi bytes left, 4294967296 are requested`;
  await until("the event", () => it.events.includes(failure));
  const volume = await it.client.get(persistentVolumes, { name: spec.volumeName ?? "" });
  assert.deepEqual(volume.spec.capacity, { storage: "1Gi" });
});
